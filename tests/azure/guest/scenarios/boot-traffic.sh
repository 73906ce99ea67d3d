# SPDX-License-Identifier: MIT
#
# Boots the machine of boot-mana for longer runs of DPDK.

. /guest/scenarios/boot-mana.sh
