# SPDX-License-Identifier: MIT
#
# If the watchdog is killed, the NIC stays prepared and the run is not disturbed. A live watchdog
# kills a run that hangs at any step.

# past_deadline: whether the time in the journal has passed.
past_deadline() {
  local deadline uptime
  deadline=$(sed -n '1s/.*"deadline":"*\([0-9]*\).*/\1/p' /var/lib/manactl/journal/*.jsonl)
  read -r uptime _ </proc/uptime
  ((10#${uptime/./}0 > deadline))
}

time=$(confirm_timeout)
stop_at_write 4 manactl prepare eth1 --hugepages 16 --confirm-timeout "$time"
kill -9 "$(watchdog)"
resume
cat /run/azure/stopped
expect "status" 0 $rc
wait_for past_deadline
[ ! -e /sys/class/net/eth1 ] || fail "restored, although the watchdog is dead"
manactl status | tee /run/azure/out
grep -q "the watchdog has exited" /run/azure/out || fail "status does not report that the watchdog has exited"
manactl confirm
manactl restore eth1
is_restored

for number in 4 9 15; do
  stop_at_write $number manactl prepare eth1 --hugepages 16 --confirm-timeout "$time"
  echo "# hangs before $(head -1 /run/azure/write)"
  rc=0
  wait $stopped 2>/dev/null || rc=$?
  expect "status" 137 $rc
  wait_for eval '! watchdog'
  is_restored
done
