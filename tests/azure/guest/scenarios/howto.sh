# SPDX-License-Identifier: MIT
#
# Runs the shell commands of Microsoft's how-to "MANA and DPDK on Linux", with another number of hugepages,
# and reverts them.

if ! with_vf; then
  # Without a VF, skip the commands that need its name. The other commands are the same.
  alias_vf=none
fi

echo 64 | tee /sys/devices/system/node/node*/hugepages/hugepages-2048kB/nr_hugepages

PRIMARY="eth1"
SECONDARY="`ip -br link show master $PRIMARY | awk '{ print $1 }'`"
MANA_MAC="`ip -br link show master $PRIMARY | awk '{ print $3 }'`"
if [ -z "${alias_vf:-}" ]; then
  BUS_INFO="`ethtool -i $SECONDARY | grep bus-info | awk '{ print $2 }'`"
  expect "MAC" 00:0d:3a:76:3b:d1 "$MANA_MAC"
  expect "bus-info" 7870:00:00.0 "$BUS_INFO"
fi

ip link set $PRIMARY down
[ -n "${alias_vf:-}" ] || ip link set $SECONDARY down

DEV_UUID=$(basename $(readlink /sys/class/net/$PRIMARY/device))
NET_UUID="f8615163-df3e-46c5-913f-f2d2f965ed0e"
modprobe uio_hv_generic
echo $NET_UUID > /sys/bus/vmbus/drivers/uio_hv_generic/new_id
echo $DEV_UUID > /sys/bus/vmbus/drivers/hv_netvsc/unbind
echo $DEV_UUID > /sys/bus/vmbus/drivers/uio_hv_generic/bind

echo "# manactl prepare must lead to the same state"
settled_state | tee /run/azure/state.howto
expect "driver" uio_hv_generic "$(driver_of $vmbus/devices/$DEV_UUID)"
expect "uio" uio_hv_generic "$(cat /sys/class/uio/uio0/name)"
test -c /dev/uio0
test -e $vmbus/devices/$DEV_UUID/channels/16/ring
for map in /sys/class/uio/uio0/maps/map*; do echo "${map##*/} $(cat $map/name) $(cat $map/size)"; done
expect "number of maps" 5 "$(ls -d /sys/class/uio/uio0/maps/map* | wc -l)"
expect "HugePages_Total" 64 "$(awk '/HugePages_Total/ { print $2 }' /proc/meminfo)"

echo $DEV_UUID > /sys/bus/vmbus/drivers/uio_hv_generic/unbind
echo $NET_UUID > /sys/bus/vmbus/drivers/uio_hv_generic/remove_id
echo $DEV_UUID > /sys/bus/vmbus/drivers/hv_netvsc/bind
wait_for test -e /sys/class/net/$PRIMARY
ip link set $PRIMARY up
echo 0 | tee /sys/devices/system/node/node*/hugepages/hugepages-2048kB/nr_hugepages
if with_vf; then
  ip link set $SECONDARY up
  wait_for vfs_joined
fi
