# SPDX-License-Identifier: MIT
#
# Unbinds and rebinds mana: the VFs vanish, the synthetic path takes over, and the VFs return.

pci=/sys/bus/pci/drivers/mana
for round in 1 2; do
  echo $function >$pci/unbind
  expect "driver after unbind" none "$(driver_of /sys/bus/pci/devices/$function)"
  [ ! -e /sys/class/net/enP30832p0s0 ] || fail "the VF's interface is still there"
  is_up eth0 || fail "eth0 went down with its VF"
  echo $function >$pci/bind
  await_vfs
done
rmmod mana
load_mana
