# SPDX-License-Identifier: MIT
#
# Ten rounds of prepare and restore by new_id and by driver_override. Dry runs change nothing.

for method in new-id driver-override; do
  manactl prepare eth1 --hugepages 16 --mtu 1400 --method $method --dry-run
  is_restored
done
for round in 1 2 3 4 5 6 7 8 9 10; do
  method=new-id
  [ $((round % 2)) -eq 0 ] || method=driver-override
  echo "# round $round, $method"
  manactl prepare eth1 --hugepages 16 --method $method >/run/azure/out || { cat /run/azure/out; fail prepare; }
  manactl restore eth1
done
is_restored
