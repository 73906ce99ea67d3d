# SPDX-License-Identifier: MIT
#
# Boots a machine for prepare and restore: eth1 has addresses and routes that the kernel does not restore,
# and mana_ib is loaded, as on Azure.

bring_up
modprobe -a ib_uverbs mana_ib
wait_for test -e /dev/infiniband/uverbs0
configure_eth1
settled_state | tee /run/azure/state
