# SPDX-License-Identifier: MIT
#
# The machine of boot-setup for other scenarios.

. /guest/scenarios/boot-setup.sh
