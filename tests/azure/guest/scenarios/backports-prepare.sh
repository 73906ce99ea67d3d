# SPDX-License-Identifier: MIT
#
# The last scenario of the boot: prepare and restore with the real mana_ib, by new_id and by
# driver_override. At the end, no driver may have violated the rules of the hardware.

. /guest/scenarios/prepare.sh
for method in new-id driver-override; do
  manactl prepare eth1 --hugepages 16 --method $method >/run/azure/out || { cat /run/azure/out; fail $method; }
  expect "ring" 4194304 "$(stat -c %s $vmbus/devices/*3bd1000d3a76/channels/*/ring)"
  manactl restore eth1
  is_restored
done
. /guest/scenarios/conformance.sh
