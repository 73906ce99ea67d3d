# SPDX-License-Identifier: MIT
#
# Boots the machine of boot-setup for other scenarios.

without_duplicate_detection
. /guest/scenarios/boot-setup.sh
