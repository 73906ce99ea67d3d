# SPDX-License-Identifier: MIT
#
# uio_hv_generic of Linux 6.1.192 rejects a channel without a monitor page with ENOTSUPP (524), an errno of the
# kernel for which C libraries have no message. Linux 6.12.118 accepts it.

modprobe uio_hv_generic
uuid=$(uuid_of eth2)
echo uio_hv_generic >$vmbus/devices/$uuid/driver_override
echo "$uuid" >$vmbus/drivers/hv_netvsc/unbind
rc=0
output=$( (echo "$uuid" >$vmbus/drivers/uio_hv_generic/bind) 2>&1) || rc=$?
if [[ $(uname -r) == 6.1.* ]]; then
  [[ $output == *"524" ]] || fail "bind printed: $output"
  dmesg | tail -3
  grep -q 'vmbus channel requires hypercall' <<<"$(dmesg)" || fail "the reason is not in the log"
else
  expect "status of bind" 0 $rc
  echo "$uuid" >$vmbus/drivers/uio_hv_generic/unbind
fi
echo >$vmbus/devices/$uuid/driver_override
echo "$uuid" >$vmbus/drivers/hv_netvsc/bind
wait_for test -e /sys/class/net/eth2
ip link set eth2 up
