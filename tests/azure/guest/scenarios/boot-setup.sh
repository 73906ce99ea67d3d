# SPDX-License-Identifier: MIT
#
# A machine for prepare and restore: eth1 has addresses and routes that do not come back by
# themselves, and mana_ib is loaded, as it is on Azure.

bring_up
modprobe -a ib_uverbs mana_ib
wait_for 5 test -e /dev/infiniband/uverbs0
set_surroundings
settled_state | tee /run/azure/state
