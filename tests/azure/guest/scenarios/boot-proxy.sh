# SPDX-License-Identifier: MIT
#
# Boots the machine of boot in a QEMU whose device is x-pci-proxy-dev. There, the BAR has 32 bits.

. /guest/scenarios/boot.sh
resource=$(head -1 /sys/bus/pci/devices/$function/resource)
[[ $resource =~ ^0x00000000[0-9a-f]{8}\ .*\ 0x0000000000040200$ ]] || fail "the BAR is $resource"
