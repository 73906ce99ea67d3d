# SPDX-License-Identifier: MIT
#
# If the watchdog is killed, the NIC stays prepared and the run is not disturbed. A live watchdog
# kills a run that hangs at any step.

# Prints the PID of the manactl process whose parent is init.
watchdog() {
  local path name
  for path in /proc/[0-9]*; do
    IFS= read -r -d '' name 2>/dev/null <"$path/cmdline" || continue
    [ "$name" = manactl ] || continue
    grep -q '^PPid:.1$' "$path/status" 2>/dev/null && echo "${path##*/}" && return 0
  done
  return 1
}

stop_at_write 4 manactl prepare eth1 --hugepages 16 --confirm-timeout 4s
kill -9 "$(watchdog)"
resume
cat /run/azure/stopped
expect "status" 0 $rc
sleep 4.5
[ ! -e /sys/class/net/eth1 ] || fail "restored, although the watchdog is dead"
manactl status | tee /run/azure/out
grep -q "the watchdog has exited" /run/azure/out || fail "status does not report that the watchdog has exited"
manactl confirm
manactl restore eth1
is_restored

for number in 4 9 15; do
  stop_at_write $number manactl prepare eth1 --hugepages 16 --confirm-timeout 1s
  echo "# hangs before $(head -1 /run/azure/write)"
  rc=0
  wait $stopped 2>/dev/null || rc=$?
  expect "status" 137 $rc
  wait_for 20 eval '! watchdog'
  is_restored
done
