# SPDX-License-Identifier: MIT
#
# A device that refuses: what the real mana.ko logs and returns then, at three places of its way up.

faults() {
  echo "$1" >/run/azure/faults.new
  mv /run/azure/faults.new /run/azure/faults
}

# logs PATTERN: says what mana logged since the last mark, and looks for the pattern in it.
mark=0
logs() {
  local said
  said=$(dmesg | tail -n +$((mark + 1)))
  mark=$(dmesg | wc -l)
  echo "$said"
  [[ $said == *"$1"* ]] || fail "the log has no '$1'"
}

bind_mana() {
  (echo $function >/sys/bus/pci/drivers/mana/bind) 2>&1 | sed 's/.*: //'
}

mark=$(dmesg | wc -l)
echo $function >/sys/bus/pci/drivers/mana/unbind

faults "establish=refuse:5"
expect "bind, hardware channel refused" "Protocol error" "$(bind_mana)"
logs "Failed to establish HWC: -71"

faults "VERIFY_VF_DRIVER_VERSION=refuse:0x17"
expect "bind, version refused" "Protocol error" "$(bind_mana)"
logs "gdma probe failed: err = -71"

faults "CONFIG_VPORT_TX=refuse:0x5"
expect "bind, vPort refused later" "" "$(bind_mana)"
wait_for 5 eval 'ls /sys/bus/pci/devices/$function/net/*'
vf=$(ip -br link show master eth1 | awk '{ print $1 }')
said=$(ip link set "$vf" up 2>&1) && fail "the VF came up"
[[ $said == *"Protocol error"* ]] || fail "ip said: $said"
logs "Failed to configure vPort"

faults ""
echo $function >/sys/bus/pci/drivers/mana/unbind
expect "bind" "" "$(bind_mana)"
wait_for 10 eval 'ls /sys/bus/pci/devices/$function/net/*'
name_vfs
wait_for 10 vfs_joined
