# SPDX-License-Identifier: MIT
#
# The errors of new_id, remove_id, bind and unbind of the kernel's VMBus.

modprobe uio_hv_generic
uuid=$(uuid_of eth1)
drivers=$vmbus/drivers

# expect_error WHAT FILE TEXT MESSAGE: writing TEXT to FILE must fail with MESSAGE.
expect_error() {
  local output
  output=$( (echo "$3" >"$2") 2>&1) && fail "$1: accepted"
  [[ $output == *"$4" ]] || fail "$1: '$output' instead of '$4'"
  echo "ok: $1: $4"
}

expect_error "bind without an id" $drivers/uio_hv_generic/bind "$uuid" "No such device"
expect_error "new_id of garbage" $drivers/uio_hv_generic/new_id "garbage" "Invalid argument"
expect_error "new_id with braces" $drivers/uio_hv_generic/new_id "{$net_guid}" "Invalid argument"
echo $net_guid >$drivers/uio_hv_generic/new_id
expect_error "new_id twice" $drivers/uio_hv_generic/new_id "$net_guid" "File exists"
expect_error "bind of a bound device" $drivers/uio_hv_generic/bind "$uuid" "Device or resource busy"
expect_error "unbind of a device of another driver" $drivers/uio_hv_generic/unbind "$uuid" \
  "No such device"
expect_error "unbind of an unknown device" $drivers/hv_netvsc/unbind "nonsense" "No such device"
echo $net_guid >$drivers/uio_hv_generic/remove_id
expect_error "remove_id twice" $drivers/uio_hv_generic/remove_id "$net_guid" "No such device"
