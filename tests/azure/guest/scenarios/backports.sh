# SPDX-License-Identifier: MIT
#
# The machine for prepare and restore on a kernel that has mana_ib: the RDMA device is the real one.

. /guest/scenarios/boot-setup.sh

uname -r
for module in hv_netvsc uio_hv_generic mana mana_ib; do
  [[ $(modinfo -F filename $module) == */kernel/drivers/* ]] || fail "$module is not Debian's"
  expect "$module is in-tree" Y "$(modinfo -F intree $module)"
done
