# SPDX-License-Identifier: MIT
#
# Packets over the VFs and beside them. Moving the cards takes away what stood on eth1.

. /guest/scenarios/ping-vf.sh
. /guest/scenarios/ping-synthetic.sh
set_surroundings
is_restored
