# SPDX-License-Identifier: MIT
#
# The error codes of new_id, remove_id, bind and unbind, as the kernel's own bus gives them.

modprobe uio_hv_generic
uuid=$(uuid_of eth1)
drivers=$vmbus/drivers

# refused WHAT FILE TEXT MESSAGE
refused() {
  local said
  said=$( (echo "$3" >"$2") 2>&1) && fail "$1: accepted"
  [[ $said == *"$4" ]] || fail "$1: '$said' instead of '$4'"
  echo "ok: $1: $4"
}

refused "bind without an id" $drivers/uio_hv_generic/bind "$uuid" "No such device"
refused "new_id of garbage" $drivers/uio_hv_generic/new_id "garbage" "Invalid argument"
refused "new_id with braces" $drivers/uio_hv_generic/new_id "{$net_guid}" "Invalid argument"
echo $net_guid >$drivers/uio_hv_generic/new_id
refused "new_id twice" $drivers/uio_hv_generic/new_id "$net_guid" "File exists"
refused "bind of a bound device" $drivers/uio_hv_generic/bind "$uuid" "Device or resource busy"
refused "unbind of a device of another driver" $drivers/uio_hv_generic/unbind "$uuid" \
  "No such device"
refused "unbind of an unknown device" $drivers/hv_netvsc/unbind "nonsense" "No such device"
echo $net_guid >$drivers/uio_hv_generic/remove_id
refused "remove_id twice" $drivers/uio_hv_generic/remove_id "$net_guid" "No such device"
