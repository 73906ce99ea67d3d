# SPDX-License-Identifier: MIT
#
# dpdk-testpmd of the distribution starts and forwards packets between two ports without hardware.

. /guest/dpdk.sh
reserve_hugepages 128
testpmd 3 --vdev=net_null0 --vdev=net_null1 --no-pci -- --total-num-mbufs=16384 --forward-mode=io
expect "lost packets" 0 "$(accumulated TX-dropped)"
(($(accumulated RX-packets) > 0)) || fail "no packets"
release_hugepages
