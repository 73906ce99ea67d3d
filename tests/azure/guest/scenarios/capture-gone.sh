# SPDX-License-Identifier: MIT
#
# Takes bundles for tests/fixtures: of a machine that has no mana_ib, no mana, no VF.

. /guest/capture.sh

rmmod mana_ib
file=$(modinfo -F filename mana_ib)
mv "$file" /run/azure/
depmod
capture mana-ib-missing
rmmod mana
file=$(modinfo -F filename mana)
rm "$file"
depmod
capture vf-orphaned

mv /run/azure/mana_ib.ko /lib/modules/*/extra/
depmod
echo 0 >/sys/module/hv_vmbus/parameters/vf
echo 0 >/sys/module/azpci/parameters/present
capture vf-missing
write_bundles
# Nobody needs this machine any more.
rm /run/azure/state
