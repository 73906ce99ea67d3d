# SPDX-License-Identifier: MIT
#
# The host rescinds a channel that is bound to hv_netvsc or uio_hv_generic, and offers it again.

uuid=$(uuid_of eth1)
knobs=/sys/module/hv_vmbus/parameters

echo 1 >$knobs/rescind
[ ! -e $vmbus/devices/$uuid ] || fail "the device is still there"
[ ! -e /sys/class/net/eth1 ] || fail "eth1 is still there"
echo 1 >$knobs/offer
wait_for test -e /sys/class/net/eth1

modprobe uio_hv_generic
echo uio_hv_generic >$vmbus/devices/$uuid/driver_override
echo "$uuid" >$vmbus/drivers/hv_netvsc/unbind
echo "$uuid" >$vmbus/drivers/uio_hv_generic/bind
echo 1 >$knobs/rescind
[ ! -e $vmbus/devices/$uuid ] || fail "the device is still there under uio_hv_generic"
[ ! -e /sys/class/uio/uio0 ] || fail "uio0 is still there"
echo 1 >$knobs/offer
wait_for test -e /sys/class/net/eth1
ip link set eth1 up
if with_vf; then
  ip link set enP30832p0s0d1 up
  wait_for vfs_joined
fi
