# SPDX-License-Identifier: MIT
#
# uio_hv_generic of Linux 6.1 refuses a channel without a monitor page, with an errno of the kernel's
# own (524) that no C library has a word for.

modprobe uio_hv_generic
uuid=$(uuid_of eth2)
echo uio_hv_generic >$vmbus/devices/$uuid/driver_override
echo "$uuid" >$vmbus/drivers/hv_netvsc/unbind
said=$( (echo "$uuid" >$vmbus/drivers/uio_hv_generic/bind) 2>&1) && fail "bound"
[[ $said == *"524" ]] || fail "bind said: $said"
dmesg | tail -3
dmesg | grep -q 'vmbus channel requires hypercall' || fail "the log lacks the reason"
echo >$vmbus/devices/$uuid/driver_override
echo "$uuid" >$vmbus/drivers/hv_netvsc/bind
wait_for 5 test -e /sys/class/net/eth2
ip link set eth2 up
