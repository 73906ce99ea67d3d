# SPDX-License-Identifier: MIT
#
# The watchdog outlives the run and restores the NIC unless manactl confirm runs in time.

set_confirm_timeout
manactl prepare eth1 --hugepages 16 --confirm-timeout $confirm_timeout >/run/azure/out
[ ! -e /sys/class/net/eth1 ] || fail "not prepared"
wait_for eval '! watchdog'
expect "journal entries" "" "$(ls /var/lib/manactl/journal)"
is_restored
manactl prepare eth1 --hugepages 16 --confirm-timeout 600s >/run/azure/out
manactl confirm
wait_for eval '! watchdog'
[ ! -e /sys/class/net/eth1 ] || fail "restored although it was confirmed"
manactl restore eth1
is_restored
