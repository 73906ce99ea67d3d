# SPDX-License-Identifier: MIT
#
# Boots the machine of boot-setup with more CPUs.

. /guest/scenarios/boot-setup.sh
