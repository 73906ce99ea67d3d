# SPDX-License-Identifier: MIT
#
# dpdk-testpmd with net_mana, and bench with direct verbs, send from a MANA port without a synthetic NIC, between
# manactl prepare and manactl restore.

. /guest/dpdk.sh
mount -t hugetlbfs hugetlbfs /dev/hugepages
pages=$(cat $hugepages)
manactl prepare eth1 --vf-only

before=$(device_packets tx_packets)
testpmd 3 -a 7870:00:00.0,mac=00:0d:3a:76:3b:d1 -- --forward-mode=txonly --auto-start --txq=2 --rxq=2
sent=$(accumulated TX-packets)
device_sent=$(($(device_packets tx_packets) - before))
echo "testpmd sent $sent packets, the MANA device $device_sent"
((sent > 10000)) || fail "only $sent packets"
# At its end, net_mana has not counted the packets whose completions it has not read: at most two rings of 512.
((device_sent >= sent && device_sent - sent <= 1024)) || fail "testpmd and the device disagree"

before=$(device_packets tx_packets)
manactl bench eth1 --engine verbs --mode tx --duration 3 --no-save -o json >/run/azure/result 2>/run/azure/err
manactl bench show /run/azure/result >/run/azure/result.txt
sent=$(count_in /run/azure/result.txt sent)
((sent > 1000)) || fail "only $sent packets"
expect "packets that left the device" "$sent" "$(($(device_packets tx_packets) - before))"
expect "violations" "[]" "$(device_console violations)"

# dpdk-testpmd leaves its files, which keep their hugepages.
rm -f /dev/hugepages/*
manactl restore eth1
expect "hugepages" "$pages" "$(cat $hugepages)"
