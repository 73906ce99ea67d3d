# SPDX-License-Identifier: MIT
#
# Lets a controller use the machine over SSH, as tests/azure/two-vms does, until it creates /run/azure/released.
# The session uses a NIC of its own (run-guest --ssh). Needs sshd, /etc/ssh/host_key and /root/.ssh/authorized_keys.

modprobe -a virtio_pci virtio_net
nic=/sys/bus/virtio/drivers/virtio_net/virtio*/net
wait_for eval "test -e $nic"
nic=$(basename $nic/*)
ip address add 10.0.2.15/24 dev "$nic"
ip link set "$nic" up
grep -q ^sshd: /etc/passwd || echo "sshd:x:100:100::/run/sshd:/bin/false" >>/etc/passwd
mkdir -p -m 755 /run/sshd
chmod 700 /root/.ssh
chmod 600 /etc/ssh/host_key /root/.ssh/authorized_keys
/usr/bin/sshd -D -e -f /dev/null -h /etc/ssh/host_key -o UsePAM=no -o PermitRootLogin=yes -o PidFile=none \
  2>/run/azure/sshd.err &
sshd=$!
wait_for grep -q "Server listening" /run/azure/sshd.err
wait_limit=1000 wait_for test -e /run/azure/released || { tail -20 /run/azure/sshd.err; fail "the controller did not finish"; }
expect "violations" "[]" "$(device_console violations)"
kill $sshd
wait $sshd || true
ip link set "$nic" down
modprobe -r virtio_net
