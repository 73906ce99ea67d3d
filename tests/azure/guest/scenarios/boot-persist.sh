# SPDX-License-Identifier: MIT
#
# Boots the machine of boot-setup with a disk that keeps /etc and the journal of manactl for the next boot.

modprobe -a virtio_pci virtio_blk ext4
wait_for test -b /dev/vda
mount -t ext4 /dev/vda /mnt
for directory in /etc /var/lib/manactl; do
  mkdir -p -m 755 /mnt$directory $directory
  [ -e /mnt/known ] || cp -a $directory/. /mnt$directory/
  mount --bind /mnt$directory $directory
done
touch /mnt/known
without_duplicate_detection
. /guest/scenarios/boot-setup.sh
