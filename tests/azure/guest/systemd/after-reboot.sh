# SPDX-License-Identifier: MIT
#
# After the reboot that follows the scenario persist: the units prepared eth1 and the port of MANA direct in their sandbox, and
# the network manager leaves exactly their VFs alone. The unit of eth2 has refused, because eth2 carries the default route.

. /guest/systemd/network-managers
for name in eth1 $direct; do
  unit=manactl-prepare-$name.service
  journalctl --no-pager -o cat -u $unit
  expect "result of $unit" "0 active" "$(systemctl show --value -p ExecMainStatus -p ActiveState $unit | xargs)"
  systemd-analyze security --no-pager $unit | tail -1
done
unit=manactl-prepare-eth2.service
journalctl --no-pager -o cat -u $unit | tee /run/out
expect "result of $unit" "4 failed" "$(systemctl show --value -p ExecMainStatus -p ActiveState $unit | xargs)"
grep -q "refusing to change 'eth2': it carries the default route" /run/out || fail "another reason"
expect "driver of eth2" hv_netvsc "$(driver_of /sys/class/net/eth2/device)"
has_address eth2 10.8.3.4 || fail "eth2 has no address"
expect "default route" "default via 10.8.3.1 dev eth2" "$(ip route show default | grep -o '^default via [^ ]* dev [^ ]*')"

expect "driver of the channel of eth1" uio_hv_generic "$(driver_of $vmbus/devices/*3bd1000d3a76)"
# The network managers may still be busy with interfaces that have just appeared.
for name in $vf1 $direct; do
  wait_for eval '[ "$(management_of $name)" = unmanaged ]' || fail "$name is $(management_of $name)"
  is_up $name && fail "$name is up"
done
for name in eth0 eth2 $direct_admin $vf0; do
  wait_for is_managed $name || fail "$name is $(management_of $name)"
  wait_for is_up $name || fail "$name is down"
  echo "ok: $name is $(management_of $name)"
done
wait_for has_address eth0 10.8.0.4 || fail "eth0 has no address"
wait_for has_address $direct_admin 10.8.2.4 || fail "$direct_admin has no address"
manactl check --only interfaces.unmanaged

for name in eth1 eth2 $direct; do manactl restore $name; done
has_address eth2 10.8.3.4 || fail "restore has removed the address of eth2"
expect "files left" "" "$(manactl status | sed -n 's/^at every boot: //p')"
