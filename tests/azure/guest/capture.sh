# SPDX-License-Identifier: MIT
#
# Functions that the scenarios capture and capture-gone share. Bundles go to /dev/vda as a tar archive.

bundles=/run/azure/bundles
mkdir -p $bundles
chmod 777 $bundles

# capture NAME [ADDRESS [PREFIX...]]: captures the bundle NAME with "PREFIX manactl doctor", in an SSH session over
# the NIC with this address. The address of the SSH client is removed from lo meanwhile, so that the peer is remote.
capture() {
  local name=$1 address=${2:-10.0.0.4}
  shift $(($# < 2 ? 1 : 2))
  echo "# $name"
  rm -f /run/azure/go /run/azure/here
  ip address replace 10.1.0.9/32 dev lo
  ssh -n -F none -b 10.1.0.9 -o BatchMode=yes -o StrictHostKeyChecking=no \
    -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR "$address" "
      export PATH=/usr/bin NO_COLOR=1
      trap "" PIPE HUP
      touch /run/azure/here
      while [ ! -e /run/azure/go ]; do sleep 0.1; done
      $* manactl doctor --bundle $bundles/$name.tar.gz >/run/azure/doctor.out 2>&1" >/run/azure/out 2>&1 &
  local session=$!
  wait_for test -e /run/azure/here
  ip address del 10.1.0.9/32 dev lo
  touch /run/azure/go
  wait_for test -s $bundles/$name.tar.gz
  ip address replace 10.1.0.9/32 dev lo
  # Kill the session, because it would end only after a long TCP retransmission timeout.
  kill $session
  wait $session || true
  ip address del 10.1.0.9/32 dev lo
  cat /run/azure/doctor.out
}

# Writes the archive with the bundles captured so far.
write_bundles() {
  modprobe -a virtio_pci virtio_blk
  wait_for test -b /dev/vda
  tar -c -C $bundles -f /dev/vda .
}
