# SPDX-License-Identifier: MIT
#
# The VM is suspended to memory while eth1 awaits its confirmation. The time of the suspension counts: the watchdog rolls back
# although the VM was awake for less than the timeout.

clock=/sys/class/rtc/rtc0
bridge=/sys/bus/pci/devices/0000:00:1f.0/config

# Prints CLOCK_BOOTTIME in ms, which counts while the VM is suspended.
since_boot() {
  awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime
}

# Prints CLOCK_MONOTONIC in ms, which stops while the VM is suspended.
awake() {
  awk '$1 == "now" { printf "%d\n", $3 / 1000000 }' /proc/timer_list
}

# suspend_for SECONDS: sets $suspended to the time in ms for which the VM was suspended.
suspend_for() {
  local asleep=$(($(since_boot) - $(awake)))
  echo 0 >$clock/wakealarm
  echo "+$1" >$clock/wakealarm
  cp $bridge /run/azure/bridge
  echo mem >/sys/power/state
  # The firmware does not restore the address of the ACPI registers (PMBASE, ACPI_CNTL). The VM could not be suspended again.
  dd if=/run/azure/bridge of=$bridge bs=8 skip=8 seek=8 count=1 conv=notrunc 2>/dev/null
  suspended=$(($(since_boot) - $(awake) - asleep))
}

# roll_back SECONDS: suspends the VM while eth1 awaits its confirmation. Succeeds if it was suspended for at least the timeout
# of SECONDS, and was rolled back before it had been awake for as long. If the clock of the watchdog stopped while the VM is
# suspended, the watchdog would always roll back later.
roll_back() {
  local timeout=$1 start took
  start=$(awake)
  manactl prepare eth1 --hugepages 16 --confirm-timeout "${timeout}s" >/run/azure/out || fail "prepare exited with $?"
  watchdog >/dev/null || fail "no watchdog waits for the confirmation"
  suspend_for $((timeout + 5))
  wait_for eval '! watchdog' || fail "the watchdog does not roll back"
  took=$(($(awake) - start))
  is_restored
  echo "timeout $timeout s: suspended for $suspended ms, rolled back after $took ms awake"
  [ $suspended -ge $((timeout * 1000)) ] && [ $took -lt $((timeout * 1000)) ]
}

modprobe rtc_cmos || true
wait_for test -e $clock/wakealarm
echo deep >/sys/power/mem_sleep
set_confirm_timeout
# On a busy machine, prepare, suspend and resume may take longer than the timeout. Such an attempt proves nothing.
timeout=$((2 * ${confirm_timeout%s}))
attempts=1
until roll_back $timeout; do
  ((attempts++ < 3)) || fail "the time for which the VM was suspended does not count"
  timeout=$((2 * timeout))
done
