# SPDX-License-Identifier: MIT
#
# Azure takes the VF away while a run is between two steps. What was changed on it went with it; all
# else is taken back, and when the VF returns everything is as before.

hold 8 manactl prepare eth1 --hugepages 16
is_up eth1 && fail "eth1 is still up: another write has to be chosen"
echo 0 >/sys/module/hv_vmbus/parameters/vf
echo 0 >/sys/module/azpci/parameters/present
let_go
cat /run/azure/held
expect "status" 6 $rc
grep -q "^eth1 could not be prepared: the VF enP30832p0s0d1 went away" /run/azure/held ||
  fail "that the VF went away is not said"
expect "hugepages" 0 "$(cat /proc/sys/vm/nr_hugepages)"
expect "driver" hv_netvsc "$(driver_of $vmbus/devices/*3bd1000d3a76)"

echo 1 >/sys/module/azpci/parameters/present
echo 0xffffffff >/sys/module/hv_vmbus/parameters/vf
wait_for 10 test -e /sys/bus/pci/devices/$function/net
name_vfs
is_restored
