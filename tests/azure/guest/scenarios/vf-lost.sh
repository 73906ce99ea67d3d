# SPDX-License-Identifier: MIT
#
# Azure removes the VF while a run is between two steps. The run reverts all its other changes. Once the
# VF returns, the state is the one before the run.

stop_at_write 8 manactl prepare eth1 --hugepages 16
is_up eth1 && fail "eth1 is still up: stop at a later write"
echo 0 >/sys/module/hv_vmbus/parameters/vf
set_present 0
resume
cat /run/azure/stopped
expect "status" 6 $rc
grep -q "^eth1 could not be prepared: the VF enP30832p0s0d1 was removed" /run/azure/stopped ||
  fail "the removed VF is not reported"
expect "hugepages" 0 "$(cat /proc/sys/vm/nr_hugepages)"
expect "driver" hv_netvsc "$(driver_of $vmbus/devices/*3bd1000d3a76)"

return_vfs
await_vfs
is_restored
