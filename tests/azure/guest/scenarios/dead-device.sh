# SPDX-License-Identifier: MIT
#
# A function behind which nothing answers: mana.ko reads its own request back and gives up.

modprobe mana
expect "driver of the function" none "$(driver_of /sys/bus/pci/devices/$function)"
dmesg | grep 'mana' | tail -5
dmesg | grep -q 'mana 7870:00:00.0: gdma probe failed: err = -71' || fail "mana failed otherwise"
rmmod mana
