# SPDX-License-Identifier: MIT
#
# prepare --persist for eth1, which is confirmed, and for a port of MANA direct, next to interfaces of the administrator. eth0 is
# not confirmed, so the next boot must not prepare it. The scenario after-reboot continues after a reboot.

. /guest/systemd/network-managers
for name in eth0 eth1 $vf0 $vf1 $direct_admin $direct; do
  wait_for is_managed $name || fail "$name is $(management_of $name)"
done
wait_for has_address eth0 10.8.0.4
wait_for has_address $direct_admin 10.8.2.4

manactl prepare eth1 --persist --confirm-timeout 600s
[ -z "$(manactl status | sed -n 's/^at every boot: //p')" ] || fail "the files are written before the confirmation"
manactl confirm eth1
manactl prepare $direct --vf-only --hugepages none --persist
for file in $(manactl status | sed -n 's/^at every boot: //p'); do
  echo "## $file"
  cat "$file"
done

manactl prepare eth0 --persist --confirm-timeout 600s --force-interface eth0
! manactl status | grep 'at every boot: .*eth0' || fail "eth0 would be prepared at the next boot"
