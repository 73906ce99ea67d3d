# SPDX-License-Identifier: MIT
#
# Boots the machine of boot-mana for the scenario in which the process of the device dies.

. /guest/scenarios/boot-mana.sh
