# SPDX-License-Identifier: MIT
#
# A user cannot prepare the NIC that carries their SSH session. A real sshd runs in one namespace and the
# client in another; the packets pass over the VFs.

for program in sshd ssh ssh-keygen; do
  type -P $program >/dev/null || {
    echo "$program is not in the guest: openssh-server and openssh-client have to be installed" \
      "before cmake runs"
    exit 77
  }
done

modprobe -a tcp_diag
enter_namespaces
echo "sshd:x:100:100::/run/sshd:/bin/false" >>/etc/passwd
mkdir -p -m 755 /run/sshd
mkdir -p -m 700 /root/.ssh
ssh-keygen -q -t ed25519 -N "" -f /run/azure/host_key
ssh-keygen -q -t ed25519 -N "" -f /root/.ssh/id_ed25519
cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
ip netns exec right /usr/bin/sshd -D -e -f /dev/null -h /run/azure/host_key \
  -o UsePAM=no -o PermitRootLogin=yes -o PidFile=none 2>/run/azure/sshd.err &
sshd=$!
wait_for grep -q "Server listening" /run/azure/sshd.err

# over_ssh COMMAND...: runs the command over SSH and sets rc.
over_ssh() {
  rc=0
  ip netns exec left ssh -n -F none -o KexAlgorithms=curve25519-sha256 -o BatchMode=yes \
    -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR 10.7.0.2 "$@" || rc=$?
}

in_right="export PATH=/usr/bin NO_COLOR=1;"
over_ssh true || true
[ $rc -eq 0 ] || { cat /run/azure/sshd.err; fail "ssh exited with $rc"; }
over_ssh "$in_right manactl prepare eth1"
expect "prepare in the session" 4 $rc
over_ssh "$in_right env -i /usr/bin/manactl prepare eth1"
expect "prepare in the session, with an empty environment" 4 $rc
over_ssh "$in_right setsid manactl prepare eth1 & wait \$!"
expect "prepare in the session, detached" 4 $rc
over_ssh "$in_right manactl prepare enP30832p0s0d1 --vf-only"
[ $rc -ne 0 ] || fail "the VF of the session was prepared"
over_ssh "$in_right manactl prepare eth1 --force-interface eth0"
expect "prepare eth1 --force-interface eth0" 2 $rc
over_ssh "$in_right manactl prepare eth1 --force-interface eth1 --dry-run >/dev/null"
expect "dry run with --force-interface eth1" 0 $rc

kill $sshd
wait $sshd || true
rc=0
ip netns exec right manactl prepare eth1 --dry-run >/dev/null || rc=$?
expect "dry run without a session" 0 $rc
leave_namespaces
rm -rf /root/.ssh
