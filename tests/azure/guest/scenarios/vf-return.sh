# SPDX-License-Identifier: MIT
#
# Azure removes the VF and adds it again while a run is between two steps. The run then uses the new
# interface, which has the same name and address.

stop_at_write 6 manactl prepare eth1 --hugepages 16
is_up eth1 && fail "eth1 is still up: stop at a later write"
echo 0 >/sys/module/hv_vmbus/parameters/vf
set_present 0
[ ! -e /sys/class/net/enP30832p0s0d1 ] || fail "the VF is still there"
return_vfs
wait_for eval 'name_vfs; [ "$(master_of enP30832p0s0d1)" = eth1 ]'
resume
cat /run/azure/stopped
expect "status" 0 $rc
expect "driver" uio_hv_generic "$(driver_of $vmbus/devices/*3bd1000d3a76)"
is_up enP30832p0s0d1 && fail "the VF is up"
manactl restore eth1
is_restored
