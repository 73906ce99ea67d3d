# SPDX-License-Identifier: MIT
#
# The watchdog outlives the run and restores the NIC unless manactl confirm runs in time.

manactl prepare eth1 --hugepages 16 --confirm-timeout 4s >/run/azure/out
[ ! -e /sys/class/net/eth1 ] || fail "not prepared"
wait_for 20 test -e /sys/class/net/eth1
wait_for 10 eval '! ls /var/lib/manactl/journal/*'
is_restored
manactl prepare eth1 --hugepages 16 --confirm-timeout 4s >/run/azure/out
manactl confirm
sleep 6
[ ! -e /sys/class/net/eth1 ] || fail "restored although it was confirmed"
manactl restore eth1
is_restored
