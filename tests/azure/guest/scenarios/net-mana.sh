# SPDX-License-Identifier: MIT
#
# DPDK's net_mana drives both ports of the function, next to hv_netvsc: the links are down, and packets go back and
# forth between the ports.

. /guest/dpdk.sh
reserve_hugepages 256
for name in eth0 eth1 enP30832p0s0 enP30832p0s0d1; do ip link set $name down; done
testpmd 4 --vdev="$function,mac=00:0d:3a:76:3b:d0,mac=00:0d:3a:76:3b:d1" -- \
  --total-num-mbufs=16384 --forward-mode=io --tx-first --txd=128 --rxd=128
expect "lost packets" 0 "$(accumulated TX-dropped)"
(($(accumulated RX-packets) > 1000)) || fail "only $(accumulated RX-packets) packets"

release_hugepages
for name in enP30832p0s0 enP30832p0s0d1 eth0 eth1; do ip link set $name up; done
wait_for vfs_joined
