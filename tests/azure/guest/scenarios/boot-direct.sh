# SPDX-License-Identifier: MIT
#
# Boots a machine with a MANA function and without synthetic NICs. The kernel may contain its own hv_vmbus.

echo "Linux $(uname -r)"
[ "$HOSTTYPE" != x86_64 ] || modprobe azrelay
modprobe mana
modprobe -a mana_ib ib_uverbs
wait_for test -e /sys/bus/pci/devices/$function/net
for path in /sys/class/net/*; do [ "${path##*/}" = lo ] || ip link set "${path##*/}" up; done
ip -br link
rdma link
wait_for test -e /dev/infiniband/uverbs0
