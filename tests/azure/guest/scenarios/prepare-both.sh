# SPDX-License-Identifier: MIT
#
# Prepares both NICs and restores them in either order. Both use new_id, both driver_override, or one each.

for round in "new-id eth0 eth1" "new-id eth1 eth0" "driver-override eth1 eth0"; do
  read -r method first second <<<"$round"
  echo "# $method, eth0 and eth1 prepared, $first and $second restored"
  manactl prepare eth0 --hugepages 16 --method "$method" >/run/azure/out
  manactl prepare eth1 --hugepages 8 --method "$method" >/run/azure/out
  expect "hugepages" 24 "$(cat /proc/sys/vm/nr_hugepages)"
  manactl restore "$first"
  manactl restore "$second"
  is_restored
done
manactl prepare eth0 --method new-id >/run/azure/out
manactl prepare eth1 --mtu 1400 --method driver-override >/run/azure/out
manactl restore --all
is_restored
