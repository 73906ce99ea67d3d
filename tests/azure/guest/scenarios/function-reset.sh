# SPDX-License-Identifier: MIT
#
# The function is reset twice while bench sends on it with net_mana: once because the device requests it, and once
# because the device does not respond to requests. bench reopens the port and reports both events. Needs Linux 7.3, whose driver resets
# the function in both cases, and a device with a short --hwc-timeout.

. /guest/dpdk.sh
mount -t hugetlbfs hugetlbfs /dev/hugepages
manactl prepare eth1 --vf-only --hugepages 128

for cause in request timeout; do
  echo "# reset after a $cause"
  before=$(device_packets tx_packets)
  manactl bench eth1 --engine dpdk --mode tx --queues 2 --duration 1h --interval 500ms --no-save -o json \
    >/run/azure/result 2>/run/azure/err &
  pid=$!
  wait_for eval '(($(device_packets tx_packets) > before + 20000))' ||
    { cat /run/azure/err; fail "bench sends no packets"; }
  sleep 1  # bench ignores the first intervals
  dmesg -c >/dev/null
  expect "revoke" ok "$(device_console revoke)"
  if [ $cause = request ]; then
    expect "event" ok "$(device_console event reset-request)"
  else
    faults any=ignore
  fi
  wait_for eval 'grep -q "MANA reset cycle start" <<<"$(dmesg)"' || fail "the driver does not reset the function"
  faults
  wait_for eval 'grep -q "MANA reset cycle completed" <<<"$(dmesg)"' || fail "the reset does not end"
  sent=$(device_packets tx_packets)
  wait_for eval '(($(device_packets tx_packets) > sent + 20000))' || fail "bench does not send again"
  stop_bench $pid
  for event in "was removed" returned; do
    grep -q "7870:00:00.0_port2 $event after" /run/azure/out || fail "bench does not report '$event'"
  done
  grep -q "Device absent for" /run/azure/out || fail "the outage was not measured"
  dmesg >/run/azure/log
  manactl doctor --log /run/azure/log || true
done
manactl restore eth1 || true
