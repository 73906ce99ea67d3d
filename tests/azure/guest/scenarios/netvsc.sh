# SPDX-License-Identifier: MIT
#
# DPDK's net_netvsc drives both synthetic NICs, without VFs: packets of one port reach the other, and no packet
# is lost.

. /guest/dpdk.sh
uuids="$(uuid_of eth0) $(uuid_of eth1)"
reserve_hugepages 128
modprobe uio_hv_generic
for uuid in $uuids; do bind_channel "$uuid" uio_hv_generic; done

# Each packet goes back and forth between the ports.
testpmd 4 -- --total-num-mbufs=16384 --forward-mode=io --tx-first
expect "lost packets" 0 "$(accumulated TX-dropped)"
(($(accumulated RX-packets) > 1000)) || fail "only $(accumulated RX-packets) packets"

# With a subchannel: both ports send packets with many addresses, which the host spreads over the queues.
testpmd 4 -- --total-num-mbufs=16384 --forward-mode=flowgen --rxq=2 --txq=2 \
  --display-xstats=rx_q0_packets,rx_q1_packets
for queue in 0 1; do
  packets=$(awk -v name=rx_q${queue}_packets '$1 == name { n = $2 } END { print n }' /run/azure/testpmd)
  ((packets > 1000)) || fail "queue $queue received only $packets packets"
done

for uuid in $uuids; do bind_channel "$uuid" hv_netvsc; done
for name in eth0 eth1; do
  wait_for test -e /sys/class/net/$name
  ip link set $name up
done
release_hugepages
