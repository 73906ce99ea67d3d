# SPDX-License-Identifier: MIT
#
# Removes and adds the VF as Azure does to service a host: first an NVSP message, then the PCI function. The
# synthetic interfaces stay up.

echo 0 >/sys/module/hv_vmbus/parameters/vf
set_present 0
[ ! -e /sys/bus/pci/devices/$function ] || fail "the function is still there"
[ ! -e /sys/bus/pci/slots/1 ] || fail "the slot is still there"
[ ! -e /sys/class/net/enP30832p0s0 ] || fail "the VF's interface is still there"
is_up eth0 || fail "eth0 went down"
is_up eth1 || fail "eth1 went down"

return_vfs
await_vfs
