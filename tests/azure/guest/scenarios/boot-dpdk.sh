# SPDX-License-Identifier: MIT
#
# Boots a machine with two CPUs for DPDK.

bring_up
expect "CPUs" 0-1 "$(cat /sys/devices/system/cpu/online)"
settled_state | tee /run/azure/state
