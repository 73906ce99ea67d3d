# SPDX-License-Identifier: MIT
#
# driver_override rebinds one NIC, needs no id, and excludes other drivers.

modprobe uio_hv_generic
uuid=$(uuid_of eth1)
device=$vmbus/devices/$uuid

echo uio_hv_generic >"$device/driver_override"
expect "override" uio_hv_generic "$(cat "$device/driver_override")"
echo "$uuid" >$vmbus/drivers/hv_netvsc/unbind
expect "driver after unbind" none "$(driver_of "$device")"
(echo "$uuid" >$vmbus/drivers/hv_netvsc/bind) 2>/dev/null && fail "hv_netvsc was bound"
echo "$uuid" >$vmbus/drivers_probe
expect "driver after drivers_probe" uio_hv_generic "$(driver_of "$device")"
expect "driver of the other NIC" hv_netvsc "$(driver_of /sys/class/net/eth0/device)"

echo "$uuid" >$vmbus/drivers/uio_hv_generic/unbind
echo >"$device/driver_override"
echo "$uuid" >$vmbus/drivers/hv_netvsc/bind
wait_for test -e /sys/class/net/eth1
ip link set eth1 up
if with_vf; then
  ip link set enP30832p0s0d1 up
  wait_for vfs_joined
fi
