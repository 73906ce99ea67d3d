# SPDX-License-Identifier: MIT
#
# restore refuses a NIC on which dpdk-testpmd sends, and names the process. With --force, it takes the synthetic NIC from
# testpmd, but the MANA port and the hugepages are in use until testpmd ends. Then it restores the rest.

. /guest/dpdk.sh
mount -t hugetlbfs hugetlbfs /dev/hugepages
manactl prepare eth1 --hugepages 160 >/run/azure/out
dpdk-testpmd -l 0-1 --vdev="$function,mac=00:0d:3a:76:3b:d1" -- --forward-mode=txonly --auto-start \
  --total-num-mbufs=16384 --txd=128 --rxd=128 --stats-period=1 </dev/null >/run/azure/testpmd 2>&1 &
pid=$!
sent=$(device_packets tx_packets)
wait_for eval '(($(device_packets tx_packets) > sent + 5000))' || { cat /run/azure/testpmd; fail "no packets"; }

rc=0
manactl restore eth1 2>/run/azure/err || rc=$?
cat /run/azure/err
expect "status of restore" 5 $rc
grep -q "in use by process $pid (dpdk-testpmd)" /run/azure/err || fail "the process is not named"
sent=$(device_packets tx_packets)
wait_for eval '(($(device_packets tx_packets) > sent + 5000))' || fail "testpmd does not send any more"

rc=0
manactl restore eth1 --force >/run/azure/out 2>&1 || rc=$?
cat /run/azure/out
expect "status of restore --force" 7 $rc
expect "driver" hv_netvsc "$(driver_of $vmbus/devices/*3bd1000d3a76)"
kill -KILL $pid 2>/dev/null || true  # it may have crashed without its channel
wait $pid || true
rm -f /dev/hugepages/rtemap_*
manactl restore --all
is_restored
expect "violations" "[]" "$(device_console violations)"
umount /dev/hugepages
wait_for vfs_joined
