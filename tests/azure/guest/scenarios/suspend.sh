# SPDX-License-Identifier: MIT
#
# The VM is suspended to memory while eth1 awaits its confirmation. The time of the suspension counts, and the watchdog rolls
# back.

clock=/sys/class/rtc/rtc0
modprobe rtc_cmos || true
wait_for test -e $clock/wakealarm
set_confirm_timeout
manactl prepare eth1 --hugepages 16 --confirm-timeout $confirm_timeout
before=$(awk '{ print int($1) }' /proc/uptime)
echo deep >/sys/power/mem_sleep
echo +$((${confirm_timeout%s} + 5)) >$clock/wakealarm
echo mem >/sys/power/state
echo "suspended for $(($(awk '{ print int($1) }' /proc/uptime) - before)) s"
wait_for eval '! watchdog'
is_restored
