# SPDX-License-Identifier: MIT
#
# The machine of boot-setup for other scenarios.

without_duplicate_detection
. /guest/scenarios/boot-setup.sh
