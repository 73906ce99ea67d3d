# SPDX-License-Identifier: MIT
#
# The machine without a device model: two synthetic cards and a dead function.

. /guest/scenarios/boot.sh
