# SPDX-License-Identifier: MIT
#
# Captures bundles for tests/fixtures: of the healthy machine, and with eth1 in other states.

. /guest/capture.sh

capture healthy-two-nics
capture ssh-on-dpdk-nic 10.0.1.4
chmod 600 /dev/infiniband/uverbs0
capture unprivileged 10.0.0.4 setpriv --reuid=1000 --regid=1000 --clear-groups
chmod 666 /dev/infiniband/uverbs0
echo 0 >/proc/sys/vm/nr_hugepages
capture no-hugepages
echo 64 >/proc/sys/vm/nr_hugepages

manactl prepare eth1 --hugepages none >/run/azure/out
capture prepared-uio
manactl restore eth1
# Kill a run while the VMBus channel has no driver.
at_write 11:kill manactl prepare eth1 --hugepages none >/run/azure/out 2>&1 || true
expect "driver" none "$(driver_of $vmbus/devices/*3bd1000d3a76)"
capture unbound-vmbus
manactl restore eth1

rmmod mana_ib
modprobe mana_ib driver_id=19
wait_for test -e /dev/infiniband/uverbs0
capture driver-id-19

rmmod mana_ib
modprobe mana_ib
wait_for test -e /dev/infiniband/uverbs0
write_bundles
