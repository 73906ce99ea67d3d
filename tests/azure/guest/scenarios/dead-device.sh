# SPDX-License-Identifier: MIT
#
# A PCI function that does not respond: mana.ko reads back its own request instead of a response, and fails.

modprobe mana
expect "driver of the function" none "$(driver_of /sys/bus/pci/devices/$function)"
dmesg | grep 'mana' | tail -5
grep -q 'mana 7870:00:00.0: gdma probe failed: err = -71' <<<"$(dmesg)" || fail "mana did not fail as expected"
rmmod mana
