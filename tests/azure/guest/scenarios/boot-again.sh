# SPDX-License-Identifier: MIT
#
# Boots the machine of boot-persist again.

[ -b /dev/vda ] || modprobe -a virtio_pci virtio_blk
. /guest/scenarios/boot-persist.sh
