# SPDX-License-Identifier: MIT
#
# Boots a machine for DPDK on MANA, with the mana_ib of the kernel.

. /guest/scenarios/boot.sh
for module in hv_netvsc uio_hv_generic mana mana_ib; do
  [[ $(modinfo -F filename $module) == */kernel/drivers/* ]] || fail "$module is not from Debian"
  expect "$module is in-tree" Y "$(modinfo -F intree $module)"
done
modprobe mana_ib
wait_for test -e /dev/infiniband/uverbs0
settled_state >/run/azure/state
