# SPDX-License-Identifier: MIT
#
# uio_hv_generic of Linux 6.1 rejects a channel without a monitor page with ENOTSUPP (524), an errno of the
# kernel for which C libraries have no message.

modprobe uio_hv_generic
uuid=$(uuid_of eth2)
echo uio_hv_generic >$vmbus/devices/$uuid/driver_override
echo "$uuid" >$vmbus/drivers/hv_netvsc/unbind
output=$( (echo "$uuid" >$vmbus/drivers/uio_hv_generic/bind) 2>&1) && fail "bound"
[[ $output == *"524" ]] || fail "bind printed: $output"
dmesg | tail -3
dmesg | grep -q 'vmbus channel requires hypercall' || fail "the reason is not in the log"
echo >$vmbus/devices/$uuid/driver_override
echo "$uuid" >$vmbus/drivers/hv_netvsc/bind
wait_for 5 test -e /sys/class/net/eth2
ip link set eth2 up
