# SPDX-License-Identifier: MIT
#
# The device takes the links of both ports down for two seconds, and up again, while bench sends from each NIC to the
# other, with net_netvsc over net_mana and with direct verbs. bench goes on, marks the intervals without packets, and
# reports the outage. doctor finds it in the result. Linux 6.12 does not log the device's notice, and ignores it.

. /guest/dpdk.sh
mount -t hugetlbfs hugetlbfs /dev/hugepages
manactl prepare eth0 --hugepages 128 >/run/azure/out
manactl prepare eth1 --hugepages none >/run/azure/out

# link_drops: prints how many frames the device has dropped because the link was down.
link_drops() {
  [[ $(device_console statistics) =~ \"link_drops\":([0-9]+) ]] && echo "${BASH_REMATCH[1]}" || echo 0
}

# receives: waits until both ports together have received 5000 more packets.
receives() {
  local before
  before=$(device_packets rx_packets all)
  wait_for eval '(($(device_packets rx_packets all) > before + 5000))'
}

for engine in dpdk verbs; do
  echo "# bench, engine $engine"
  manactl bench eth1 --port eth0 --mode txrx --engine $engine --queues 2 --duration 1h --interval 250ms --no-save \
    -o json >/run/azure/result 2>/run/azure/err &
  pid=$!
  receives || { cat /run/azure/err; fail "bench receives no packets"; }
  sleep 1
  drops=$(link_drops)
  expect "link down" ok "$(device_console link down)"
  sleep 2
  (($(link_drops) > drops + 1000)) || fail "bench does not send while the link is down"
  expect "link up" ok "$(device_console link up)"
  receives || fail "bench does not receive again"
  sleep 1
  stop_bench $pid
  expect "path" vf "$(awk '$1 == "path" { print $2 }' /run/azure/out)"
  disturbed=$(tr -d ' \n' </run/azure/result | sed -n 's/.*"disturbed":\[\([0-9,]*\)\].*/\1/p')
  (($(tr , '\n' <<<"$disturbed" | wc -l) >= 6)) || fail "disturbed intervals: only '$disturbed'"
  manactl doctor --log /run/azure/result >/run/azure/out || true
  sed -n '/^Root cause/,/^$/p' /run/azure/out
  grep -q "^Root cause: No packets arrived for a while" /run/azure/out || fail "doctor does not name the outage"
done
expect "violations" "[]" "$(device_console violations)"

manactl restore --all
umount /dev/hugepages
wait_for vfs_joined
