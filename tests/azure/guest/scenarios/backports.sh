# SPDX-License-Identifier: MIT
#
# Boots the machine of boot-setup with a kernel that has mana_ib, so the RDMA device is real.

. /guest/scenarios/boot-setup.sh

uname -r
for module in hv_netvsc uio_hv_generic mana mana_ib; do
  [[ $(modinfo -F filename $module) == */kernel/drivers/* ]] || fail "$module is not from Debian"
  expect "$module is in-tree" Y "$(modinfo -F intree $module)"
done
