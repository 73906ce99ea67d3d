# SPDX-License-Identifier: MIT
#
# Boots a machine with two synthetic NICs and a PCI function that does not respond.

. /guest/scenarios/boot.sh
