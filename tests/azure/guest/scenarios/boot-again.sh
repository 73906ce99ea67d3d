# SPDX-License-Identifier: MIT
#
# The machine of boot-persist, started again.

[ -b /dev/vda ] || modprobe -a virtio_pci virtio_blk
. /guest/scenarios/boot-persist.sh
