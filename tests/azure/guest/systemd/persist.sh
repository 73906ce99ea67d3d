# SPDX-License-Identifier: MIT
#
# prepare --persist for eth1 and for a port of MANA direct, next to interfaces of the administrator. The
# scenario after-reboot continues after a reboot.

. /guest/systemd/network-managers
for name in eth0 eth1 $vf0 $vf1 $direct_admin $direct; do
  wait_for is_managed $name || fail "$name is $(management_of $name)"
done
wait_for has_address eth0 10.8.0.4
wait_for has_address $direct_admin 10.8.2.4

manactl prepare eth1 --persist
manactl prepare $direct --vf-only --hugepages none --persist
for file in $(manactl status | sed -n 's/^at every boot: //p'); do
  echo "## $file"
  cat "$file"
done
