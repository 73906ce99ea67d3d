# SPDX-License-Identifier: MIT
#
# Azure removes the MANA function and adds it again while bench sends on it, without the synthetic device: with
# net_mana, and with direct verbs. bench reopens the port and reports both events.

. /guest/dpdk.sh
mount -t hugetlbfs hugetlbfs /dev/hugepages
manactl prepare eth1 --vf-only --hugepages 128

for engine in dpdk verbs; do
  echo "# bench, engine $engine"
  before=$(device_packets tx_packets)
  manactl bench eth1 --engine $engine --mode tx --queues 2 --duration 1h --interval 500ms --no-save -o json \
    >/run/azure/result 2>/run/azure/err &
  pid=$!
  wait_for eval '(($(device_packets tx_packets) > before + 20000))' || { cat /run/azure/err; fail "bench sends no packets"; }
  sleep 1  # bench ignores the first intervals
  # The host does not notify net_mana, which sends until the function vanishes.
  echo 0 >/sys/module/hv_vmbus/parameters/vf
  expect "revoke" ok "$(device_console revoke)"
  set_present 0
  sleep 2
  return_vfs
  sent=$(device_packets tx_packets)
  wait_for eval '(($(device_packets tx_packets) > sent + 20000))' || { tail -n 3 /run/azure/result; cat /run/azure/err; fail "bench does not send again"; }
  stop_bench $pid
  expect "path" vf "$(awk '$1 == "path" { print $2 }' /run/azure/out)"
  for event in "was removed" returned; do
    grep -q "7870:00:00.0\(_port2\)\? $event after" /run/azure/out || fail "bench does not report '$event'"
  done
  grep -q "Device absent for" /run/azure/out || fail "the outage was not measured"
  wait_for eval 'name_vfs; test -e /sys/class/net/enP30832p0s0d1'
  ip link set enP30832p0s0d1 down
done
expect "violations" "[]" "$(device_console violations)"

manactl restore eth1
umount /dev/hugepages
wait_for vfs_joined
