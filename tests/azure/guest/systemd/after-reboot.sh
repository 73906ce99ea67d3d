# SPDX-License-Identifier: MIT
#
# After the reboot that follows the scenario persist: the units prepared both NICs in their sandbox, and the
# network manager leaves exactly their VFs alone.

. /guest/systemd/network-managers
for name in eth1 $direct; do
  unit=manactl-prepare-$name.service
  journalctl --no-pager -o cat -u $unit
  expect "result of $unit" "0 active" "$(systemctl show --value -p ExecMainStatus -p ActiveState $unit | xargs)"
  systemd-analyze security --no-pager $unit | tail -1
done
expect "driver of the channel of eth1" uio_hv_generic "$(driver_of $vmbus/devices/*3bd1000d3a76)"
# The network managers may still be busy with interfaces that have just appeared.
for name in $vf1 $direct; do
  wait_for eval '[ "$(management_of $name)" = unmanaged ]' || fail "$name is $(management_of $name)"
  is_up $name && fail "$name is up"
done
for name in eth0 $direct_admin $vf0; do
  wait_for is_managed $name || fail "$name is $(management_of $name)"
  wait_for is_up $name || fail "$name is down"
  echo "ok: $name is $(management_of $name)"
done
wait_for has_address eth0 10.8.0.4 || fail "eth0 has no address"
wait_for has_address $direct_admin 10.8.2.4 || fail "$direct_admin has no address"
manactl check --only interfaces.unmanaged

for name in eth1 $direct; do manactl restore $name; done
expect "files left" "" "$(manactl status | sed -n 's/^at every boot: //p')"
