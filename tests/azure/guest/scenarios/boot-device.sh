# SPDX-License-Identifier: MIT
#
# Boots a machine with two CPUs whose MANA function is a PCI device of QEMU, served by a process on the host.

. /guest/scenarios/boot.sh
expect "CPUs" 0-1 "$(cat /sys/devices/system/cpu/online)"
expect "functions" "7870:00:00.0 1414:00ba" "$(lspci -D -n -d 1414:00ba | awk '{ print $1, $3 }')"
[[ $(cat /proc/iomem) == *azrelay* ]] || fail "the BAR of the function is not reserved"
