# SPDX-License-Identifier: MIT
#
# prepare --persist for eth1 and eth2, which are confirmed, and for a port of MANA direct, next to interfaces of the administrator.
# The next boot must prepare neither eth0, which is not confirmed, nor eth2, which then carries the default route. The scenario
# after-reboot continues after a reboot.

. /guest/systemd/network-managers
for name in eth0 eth1 eth2 $vf0 $vf1 $vf2 $direct_admin $direct; do
  wait_for is_managed $name || fail "$name is $(management_of $name)"
done
wait_for has_address eth0 10.8.0.4
wait_for has_address eth2 10.8.3.4
wait_for has_address $direct_admin 10.8.2.4

manactl prepare eth1 --persist --confirm-timeout 600s
[ -z "$(manactl status | sed -n 's/^at every boot: //p')" ] || fail "the files are written before the confirmation"
manactl confirm eth1
manactl prepare eth2 --persist --confirm-timeout 600s
manactl confirm eth2
# The administrator forgets that eth2 is prepared, and gives it the default route.
sed -i 's|^address1=.*|&,10.8.3.1|' /etc/NetworkManager/system-connections/eth2.nmconnection
echo "Gateway=10.8.3.1" >>/etc/systemd/network/20-eth2.network
manactl prepare $direct --vf-only --hugepages none --persist
for file in $(manactl status | sed -n 's/^at every boot: //p'); do
  echo "## $file"
  cat "$file"
done

manactl prepare eth0 --persist --confirm-timeout 600s --force-interface eth0
! manactl status | grep 'at every boot: .*eth0' || fail "eth0 would be prepared at the next boot"
