# SPDX-License-Identifier: MIT
#
# Module parameters make the bus refuse operations. Each parameter takes effect and can be cleared.

modprobe uio_hv_generic
knobs=/sys/module/hv_vmbus/parameters
uuid=$(uuid_of eth1)
echo uio_hv_generic >$vmbus/devices/$uuid/driver_override
echo "$uuid" >$vmbus/drivers/hv_netvsc/unbind

bind_error() {
  (echo "$uuid" >$vmbus/drivers/uio_hv_generic/bind) 2>&1 | sed 's/.*: //'
}

echo 2 >$knobs/refuse_bind
echo uio_hv_generic >$knobs/refuse_driver
expect "refused bind" "Cannot allocate memory" "$(bind_error)"
echo 0 >$knobs/refuse_bind
echo >$knobs/refuse_driver
echo 2 >$knobs/refuse_gpadl
expect "bind without shared buffers" "Disk quota exceeded" "$(bind_error)"
echo 0 >$knobs/refuse_gpadl
expect "bind" "" "$(bind_error)"
echo 2 >$knobs/refuse_open
output=$( (: </dev/uio0) 2>&1) && fail "/dev/uio0 was opened"
[[ $output == *"temporarily unavailable"* ]] || fail "open: $output"
echo 0 >$knobs/refuse_open

echo "$uuid" >$vmbus/drivers/uio_hv_generic/unbind
echo >$vmbus/devices/$uuid/driver_override
echo "$uuid" >$vmbus/drivers/hv_netvsc/bind
wait_for test -e /sys/class/net/eth1
ip link set eth1 up
if with_vf; then
  ip link set enP30832p0s0d1 up
  wait_for vfs_joined
fi
