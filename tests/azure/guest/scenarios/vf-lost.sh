# SPDX-License-Identifier: MIT
#
# Azure takes the VF away while a run is between two steps: nothing can raise what is not there, so
# the roll-back says what it could not do, and restore does the rest when the VF is back.

strace -qq -o /run/azure/strace -e trace=write \
  -e inject=write:delay_enter=4000000:when="${vf_lost_at:-8}" \
  manactl prepare eth1 --hugepages 16 >/run/azure/out 2>&1 &
run=$!
wait_for 20 eval '! is_up eth1'
sleep 1
echo 0 >/sys/module/hv_vmbus/parameters/vf
echo 0 >/sys/module/azpci/parameters/present
rc=0
wait $run || rc=$?
cat /run/azure/out
expect "status" 7 $rc
grep -qx "  manactl restore eth1" /run/azure/out || fail "what to do next is not said"

echo 1 >/sys/module/azpci/parameters/present
echo 0xffffffff >/sys/module/hv_vmbus/parameters/vf
wait_for 10 test -e /sys/bus/pci/devices/$function/net
name_vfs || ip link
manactl restore eth1
is_restored
