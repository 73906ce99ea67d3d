# SPDX-License-Identifier: MIT
#
# Captures bundles for tests/fixtures: one without mana_ib, one without mana, and one without a VF.

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
set_present 0
capture vf-missing
write_bundles
# This is the last scenario of the boot, so the state is not checked.
rm /run/azure/state
