# SPDX-License-Identifier: MIT
#
# If the watchdog is killed, the NIC stays prepared and the run is not disturbed. A live watchdog
# kills a run that hangs at any step.

# long_past_deadline: whether the deadline in the journal passed two seconds ago. A watchdog would have restored eth1.
long_past_deadline() {
  local uptime
  read -r uptime _ </proc/uptime
  ((10#${uptime/./}0 > deadline + 2000))
}

set_confirm_timeout
stop_at_write 4 manactl prepare eth1 --hugepages 16 --confirm-timeout $confirm_timeout
kill -9 "$(watchdog)"
resume
cat /run/azure/stopped
expect "status" 0 $rc
deadline=$(sed -n '1s/.*"deadline":"*\([0-9]*\).*/\1/p' /var/lib/manactl/journal/*.jsonl)
[ -n "$deadline" ] || fail "the journal has no deadline"
wait_for long_past_deadline
[ ! -e /sys/class/net/eth1 ] || fail "restored, although the watchdog is dead"
manactl status | tee /run/azure/out
grep -q "the watchdog has exited" /run/azure/out || fail "status does not report that the watchdog has exited"
manactl confirm
manactl restore eth1
is_restored

for number in 4 9 15; do
  stop_at_write $number manactl prepare eth1 --hugepages 16 --confirm-timeout $confirm_timeout
  echo "# hangs before $(head -1 /run/azure/write)"
  rc=0
  wait $stopped 2>/dev/null || rc=$?
  expect "status" 137 $rc
  wait_for eval '! watchdog'
  is_restored
done
