# SPDX-License-Identifier: MIT
#
# Boots the machine with the drivers from Debian. Every later scenario has to restore this state.

bring_up

for module in hv_netvsc uio_hv_generic mana; do
  [[ $(modinfo -F filename $module) == */kernel/drivers/* ]] || fail "$module is not from Debian"
  expect "$module is in-tree" Y "$(modinfo -F intree $module)"
done
for name in eth0 eth1; do
  expect "driver of $name" hv_netvsc "$(driver_of "/sys/class/net/$name/device")"
  is_up $name || fail "$name is down"
done
expect "MAC of eth1" 00:0d:3a:76:3b:d1 "$(cat /sys/class/net/eth1/address)"
expect "device of eth1" 000d3a76-3bd1-000d-3a76-3bd1000d3a76 "$(uuid_of eth1)"
expect "class of eth1" "{$net_guid}" "$(cat /sys/class/net/eth1/device/class_id)"
[ -n "$(lspci -d 1414:00ba:0200)" ] || fail "lspci finds no MANA"
if with_vf; then
  expect "functions" "7870:00:00.0 1414:00ba" "$(lspci -D -n -d 1414:00ba | awk '{ print $1, $3 }')"
  expect "driver of the function" mana "$(driver_of /sys/bus/pci/devices/$function)"
  expect "master of enP30832p0s0d1" eth1 "$(master_of enP30832p0s0d1)"
fi
settled_state | tee /run/azure/state
