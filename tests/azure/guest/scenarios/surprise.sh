# SPDX-License-Identifier: MIT
#
# The function stops to respond and is then removed, without a notice. It returns, and so do the VFs. The links are
# down before, because mana would wait two minutes for the completions of packets. Needs a device with a
# short --hwc-timeout, because each request of the driver ends only then.

for name in eth0 eth1 enP30832p0s0 enP30832p0s0d1; do ip link set $name down; done
echo 1 >/sys/module/azrelay/parameters/surprise
[ ! -e /sys/bus/pci/devices/$function ] || fail "the function is still there"
[ ! -e /sys/class/net/enP30832p0s0 ] || fail "the VF's interface is still there"
expect "present" 0 "$(cat /sys/module/azrelay/parameters/present)"
[[ $(dmesg) == *"HWC: Request timed out"* ]] || fail "the function still responded"

set_present 1
for name in eth0 eth1; do ip link set $name up; done
await_vfs
