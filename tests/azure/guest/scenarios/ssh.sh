# SPDX-License-Identifier: MIT
#
# A user cannot prepare the NIC that carries their SSH session. A real sshd runs on eth1 and the client in
# another namespace; the packets pass over the VFs.

. /guest/ssh.sh
enter_client
start_sshd 1 22
in_session="export PATH=/usr/bin NO_COLOR=1;"
over_ssh 10.7.0.2 true
[ $rc -eq 0 ] || { cat /run/azure/sshd.1.22; fail "ssh exited with $rc"; }
over_ssh 10.7.0.2 "$in_session manactl prepare eth1"
expect "prepare in the session" 4 $rc
over_ssh 10.7.0.2 "$in_session env -i /usr/bin/manactl prepare eth1"
expect "prepare in the session, with an empty environment" 4 $rc
over_ssh 10.7.0.2 "$in_session setsid manactl prepare eth1 & wait \$!"
expect "prepare in the session, detached" 4 $rc
over_ssh 10.7.0.2 "$in_session manactl prepare enP30832p0s0d1 --vf-only"
[ $rc -ne 0 ] || fail "the VF of the session was prepared"
over_ssh 10.7.0.2 "$in_session manactl prepare eth1 --force-interface eth0"
expect "prepare eth1 --force-interface eth0" 2 $rc
over_ssh 10.7.0.2 "$in_session manactl prepare eth1 --force-interface eth1 --dry-run >/dev/null"
expect "dry run with --force-interface eth1" 0 $rc

kill $sshd
wait $sshd || true
rc=0
manactl prepare eth1 --dry-run >/dev/null || rc=$?
expect "dry run without a session" 0 $rc
leave_client
