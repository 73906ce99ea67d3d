# SPDX-License-Identifier: MIT
#
# Azure takes the VF away while a run is between two steps: nothing can raise what is not there, so
# the roll-back says what it could not do, and restore does the rest when the VF is back.

hold 8 manactl prepare eth1 --hugepages 16
is_up eth1 && fail "eth1 is still up: another write has to be chosen"
echo 0 >/sys/module/hv_vmbus/parameters/vf
echo 0 >/sys/module/azpci/parameters/present
let_go
cat /run/azure/held
expect "status" 7 $rc
grep -qx "  manactl restore eth1" /run/azure/held || fail "what to do next is not said"

echo 1 >/sys/module/azpci/parameters/present
echo 0xffffffff >/sys/module/hv_vmbus/parameters/vf
wait_for 10 test -e /sys/bus/pci/devices/$function/net
name_vfs || ip link
manactl restore eth1
is_restored
