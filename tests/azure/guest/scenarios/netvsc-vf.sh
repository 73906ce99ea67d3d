# SPDX-License-Identifier: MIT
#
# DPDK's net_netvsc drives eth1 with its VF, as in the how-to: the packets that it sends leave through MANA, although
# testpmd shows only the synthetic port.

. /guest/dpdk.sh
reserve_hugepages 256
uuid=$(uuid_of eth1)
for name in eth0 eth1 enP30832p0s0 enP30832p0s0d1; do ip link set $name down; done
modprobe uio_hv_generic
bind_channel "$uuid" uio_hv_generic

# Prints how many packets the port of eth1 has sent.
sent_over_mana() {
  device_console statistics | sed 's/.*:3b:d1","tx_packets":\([0-9]*\).*/\1/'
}

before=$(sent_over_mana)
testpmd 4 --vdev="$function,mac=00:0d:3a:76:3b:d1" -- --total-num-mbufs=16384 --forward-mode=txonly \
  --txd=128 --rxd=128
sent=$(accumulated TX-packets)
over_mana=$(($(sent_over_mana) - before))
echo "testpmd sent $sent packets, MANA $over_mana"
# The device also counts the packets that testpmd had not completed when it printed its counters.
((sent > 1000 && over_mana >= sent)) || fail "packets did not leave through MANA"

bind_channel "$uuid" hv_netvsc
wait_for test -e /sys/class/net/eth1
for name in enP30832p0s0 enP30832p0s0d1 eth0 eth1; do ip link set $name up; done
release_hugepages
wait_for vfs_joined
