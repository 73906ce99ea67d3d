# SPDX-License-Identifier: MIT
#
# The device refuses three different requests. Checks what the real mana.ko logs and which errors it returns.

# expect_log TEXT: prints what mana has logged since the last call, and checks that TEXT is in it.
mark=0
expect_log() {
  local log
  log=$(dmesg | tail -n +$((mark + 1)))
  mark=$(dmesg | wc -l)
  echo "$log"
  [[ $log == *"$1"* ]] || fail "the log does not contain '$1'"
}

bind_mana() {
  (echo $function >/sys/bus/pci/drivers/mana/bind) 2>&1 | sed 's/.*: //'
}

mark=$(dmesg | wc -l)
echo $function >/sys/bus/pci/drivers/mana/unbind

faults "establish=refuse:5"
expect "bind, hardware channel refused" "Protocol error" "$(bind_mana)"
expect_log "Failed to establish HWC: -71"

faults "VERIFY_VF_DRIVER_VERSION=refuse:0x17"
expect "bind, version refused" "Protocol error" "$(bind_mana)"
expect_log "gdma probe failed: err = -71"

faults "CONFIG_VPORT_TX=refuse:0x5"
expect "bind, vPort refused later" "" "$(bind_mana)"
wait_for eval 'ls /sys/bus/pci/devices/$function/net/*'
vf=$(ip -br link show master eth1 | awk '{ print $1 }')
output=$(ip link set "$vf" up 2>&1) && fail "the VF is up"
[[ $output == *"Protocol error"* ]] || fail "ip printed: $output"
expect_log "Failed to configure vPort"

faults
echo $function >/sys/bus/pci/drivers/mana/unbind
expect "bind" "" "$(bind_mana)"
await_vfs
