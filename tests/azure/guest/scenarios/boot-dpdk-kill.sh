# SPDX-License-Identifier: MIT
#
# Boots the machine of boot-mana for scenarios that kill DPDK programs.

. /guest/scenarios/boot-mana.sh
