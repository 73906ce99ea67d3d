# SPDX-License-Identifier: MIT
#
# Boots a machine with two CPUs for DPDK on MANA: the function is a PCI device of QEMU, and mana_ib is that of the
# kernel.

. /guest/scenarios/boot-device.sh
modprobe mana_ib
wait_for 5 test -e /dev/infiniband/uverbs0
settled_state >/run/azure/state
