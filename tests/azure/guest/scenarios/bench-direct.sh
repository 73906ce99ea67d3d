# SPDX-License-Identifier: MIT
#
# Prepares both ports of MANA direct, runs bench from one to the other with each engine, and restores them. bench and the
# MANA device count the same packets.

. /guest/dpdk.sh
mount -t hugetlbfs hugetlbfs /dev/hugepages
manactl prepare eth0 --vf-only --hugepages 256M
manactl prepare eth1 --vf-only --hugepages none

for engine in dpdk verbs; do
  for mode in tx rtt; do
    before=$(device_packets tx_packets all)
    manactl bench eth1 --port eth0 --engine $engine --mode $mode --duration 2 --no-save -o json \
      >/run/azure/bench.json 2>/run/azure/bench.err || {
      cat /run/azure/bench.err
      fail "bench --engine $engine --mode $mode"
    }
    manactl bench show /run/azure/bench.json >/run/azure/bench.txt
    sed '/^  Note/,$d' /run/azure/bench.txt
    sent=$(count_in /run/azure/bench.txt sent)
    ((sent > 100)) || fail "only $sent packets"
    expect "packets that left the device" "$sent" "$(($(device_packets tx_packets all) - before))"
    [ $mode = tx ] || (($(count_in /run/azure/bench.txt received) > 100)) || fail "few packets arrived"
  done
done
expect "violations" "[]" "$(device_console violations)"

manactl restore --all
umount /dev/hugepages
