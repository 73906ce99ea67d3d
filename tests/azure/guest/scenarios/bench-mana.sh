# SPDX-License-Identifier: MIT
#
# manactl prepares a NIC and measures it with both engines. bench and the MANA device count the same packets.

. /guest/dpdk.sh
mkdir -p /dev/hugepages
mount -t hugetlbfs hugetlbfs /dev/hugepages
manactl prepare eth1 --hugepages 128

for engine in dpdk verbs; do
  before=$(device_packets tx_packets)
  manactl bench eth1 --engine $engine --queues 2 --duration 2 -o json >/run/azure/bench.json 2>/run/azure/bench.err || {
    cat /run/azure/bench.err
    fail "bench --engine $engine"
  }
  manactl bench show /run/azure/bench.json | tee /run/azure/bench.txt
  expect "path" vf "$(awk '$1 == "path" { print $2 }' /run/azure/bench.txt)"
  sent=$(count_in /run/azure/bench.txt sent)
  ((sent > 10000)) || fail "only $sent packets"
  expect "packets that left the device with the engine $engine" "$sent" "$(($(device_packets tx_packets) - before))"
done
expect "violations" "[]" "$(device_console violations)"

manactl restore eth1
umount /dev/hugepages
wait_for vfs_joined
