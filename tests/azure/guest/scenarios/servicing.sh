# SPDX-License-Identifier: MIT
#
# Azure removes the VFs and adds them again while DPDK sends on both NICs with net_netvsc over net_mana. testpmd and bench
# go on with the synthetic devices, and return to MANA. bench reports both events and exits with 1.

. /guest/dpdk.sh
mount -t hugetlbfs hugetlbfs /dev/hugepages
manactl prepare eth0 --hugepages 160 >/run/azure/out
manactl prepare eth1 --hugepages none >/run/azure/out

# expect_mana [MODE]: waits until both ports of the device have sent 5000 more packets and, unless the mode is tx,
# received some.
expect_mana() {
  local port sent received
  for port in 3b:d0 3b:d1; do
    sent=$(device_packets tx_packets $port) received=$(device_packets rx_packets $port)
    [ "${1:-}" != tx ] || received=-1
    wait_for eval '(($(device_packets tx_packets $port) > sent + 5000 &&
      $(device_packets rx_packets $port) > received))' || fail "port $port of MANA carries no packets"
    echo "ok: port $port of MANA carries packets"
  done
}

# received_by_testpmd: prints the packets that both ports have received, as shown last.
received_by_testpmd() {
  sed -n 's/^ *RX-packets: \([0-9]*\) *RX-missed.*/\1/p' /run/azure/testpmd | tail -2 |
    awk '{ sum += $1 } END { printf "%d\n", sum }'
}

echo "# testpmd"
in_background /run/azure/testpmd dpdk-testpmd --lcores=0@0,1@1 --vdev="$function,mac=00:0d:3a:76:3b:d0,mac=00:0d:3a:76:3b:d1" \
  -a "$(basename $vmbus/devices/*-3bd0000d3a76)" -a "$(basename $vmbus/devices/*-3bd1000d3a76)" -- \
  --total-num-mbufs=16384 --forward-mode=flowgen --rxq=2 --txq=2 --txd=256 --rxd=256 --stats-period=1
wait_for grep -q "^Port statistics" /run/azure/testpmd
expect_mana
remove_vfs
# The statistics of the ports no longer contain those of the VFs.
wait_for eval 'before=$(received_by_testpmd) && sleep 2 && (($(received_by_testpmd) > before + 1000))' ||
  fail "testpmd does not receive on the synthetic path"
echo "ok: testpmd receives on the synthetic path"
return_vfs
expect_mana
kill -INT $pid
rc=0
wait $pid || rc=$?
expect "status of dpdk-testpmd" 0 $rc

for mode in txrx tx; do
  echo "# bench, mode $mode"
  before=$(device_packets tx_packets all)
  manactl bench eth1 --port eth0 --mode $mode --queues 2 --duration 1h --interval 500ms --no-save -o json \
    >/run/azure/result 2>/run/azure/err &
  pid=$!
  wait_for eval '(($(device_packets tx_packets all) > before + 50000))'
  sleep 1  # bench ignores the first intervals
  remove_vfs
  sleep 2
  return_vfs
  expect_mana $mode
  sleep 1
  stop_bench $pid
  expect "path" synthetic "$(awk '$1 == "path" { print $2 }' /run/azure/out)"
  for port in 1 2; do
    for event in removed returned; do
      grep -q "7870:00:00.0_port$port \(was \)\?$event after" /run/azure/out || fail "port $port: not '$event'"
    done
  done
  grep -q "Device absent for" /run/azure/out || fail "the outage was not measured"
done
expect "violations" "[]" "$(device_console violations)"

name_vfs
manactl restore --all
umount /dev/hugepages
wait_for vfs_joined
