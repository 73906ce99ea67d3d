# SPDX-License-Identifier: MIT
#
# The commands of Microsoft's how-to "MANA and DPDK on Linux" from the detection of the device to dpdk-testpmd
# with one queue. Packets must leave through the MANA device, not on the synthetic path.

. /guest/dpdk.sh
mount -t hugetlbfs hugetlbfs /dev/hugepages

if [[ -n `lspci -d 1414:00ba:0200` ]]; then
    echo "MANA device is available."
else
    fail "MANA was not detected."
fi

echo 1024 | tee /sys/devices/system/node/node*/hugepages/hugepages-2048kB/nr_hugepages
PRIMARY="eth1"
SECONDARY="`ip -br link show master $PRIMARY | awk '{ print $1 }'`"
MANA_MAC="`ip -br link show master $PRIMARY | awk '{ print $3 }'`"
BUS_INFO="`ethtool -i $SECONDARY | grep bus-info | awk '{ print $2 }'`"
ip link set $PRIMARY down
ip link set $SECONDARY down
DEV_UUID=$(basename $(readlink /sys/class/net/$PRIMARY/device))
NET_UUID="f8615163-df3e-46c5-913f-f2d2f965ed0e"
modprobe uio_hv_generic
echo $NET_UUID > /sys/bus/vmbus/drivers/uio_hv_generic/new_id
echo $DEV_UUID > /sys/bus/vmbus/drivers/hv_netvsc/unbind
echo $DEV_UUID > /sys/bus/vmbus/drivers/uio_hv_generic/bind

before=$(device_packets tx_packets)
in_background /run/azure/testpmd \
  dpdk-testpmd -l 1-3 --vdev="$BUS_INFO,mac=$MANA_MAC" -- --forward-mode=txonly --auto-start --txd=128 --rxd=128 --stats 2
wait_for eval '(($(grep -c "NIC statistics for port" /run/azure/testpmd) > 2))' || true
kill -INT $pid || true
wait $pid || true
grep -v -e '^ *[RT]x-[pb]ps' -e '^ *$' /run/azure/testpmd | tail -40

sent=$(accumulated TX-packets)
left=$(($(device_packets tx_packets) - before))
echo "testpmd sent $sent packets, $left left the MANA device"
((sent > 10000)) || fail "only $sent packets"
# net_mana does not count the packets whose completions it has not read at the end, at most one ring of 128.
((left >= sent && left - sent <= 128)) || fail "testpmd and the device disagree"
expect "violations" "[]" "$(device_console violations)"

echo $DEV_UUID > /sys/bus/vmbus/drivers/uio_hv_generic/unbind
echo $NET_UUID > /sys/bus/vmbus/drivers/uio_hv_generic/remove_id
echo $DEV_UUID > /sys/bus/vmbus/drivers/hv_netvsc/bind
wait_for test -e /sys/class/net/$PRIMARY
ip link set $PRIMARY up
release_hugepages
umount /dev/hugepages
ip link set $SECONDARY up
wait_for vfs_joined
