# SPDX-License-Identifier: MIT
#
# Boots a machine with as many CPUs as the how-to names, and with the mana_ib of the kernel.

bring_up
modprobe mana_ib
wait_for test -e /dev/infiniband/uverbs0
settled_state >/run/azure/state
