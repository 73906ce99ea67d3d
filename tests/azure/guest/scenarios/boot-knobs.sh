# SPDX-License-Identifier: MIT
#
# Boots a machine with three NICs, of which some have no VF or no monitor page. The kernel command line sets
# hv_vmbus.nics=3 hv_vmbus.vf=1 hv_vmbus.no_monitor=4 and MACs.

bring_up
ip link set eth2 up
expect "NICs" 3 "$(ls -d $vmbus/devices/* | wc -l)"
expect "MAC of eth2" 00:0d:3a:00:00:03 "$(cat /sys/class/net/eth2/address)"
expect "VF slots announced" 1 "$(dmesg | grep -c 'VF slot . added')"
[ -e /sys/class/net/eth0/device/monitor_id ] || fail "eth0 has no monitor_id"
[ ! -e /sys/class/net/eth2/device/monitor_id ] || fail "eth2 has a monitor_id"
settled_state | tee /run/azure/state
