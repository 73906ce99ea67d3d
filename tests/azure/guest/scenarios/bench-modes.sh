# SPDX-License-Identifier: MIT
#
# Both NICs are prepared. bench measures them in one process and in two, in every mode and with both engines. bench
# and the MANA device count the same packets, and the difference between sent and received packets is what
# the device dropped for lack of a buffer.

. /guest/dpdk.sh
mount -t hugetlbfs hugetlbfs /dev/hugepages
manactl prepare eth0 --hugepages 128 >/run/azure/out
manactl prepare eth1 --hugepages none >/run/azure/out

# bench NAME ARGUMENT...: runs bench in the background, with its result in /run/azure/NAME.json. Sets $pid.
bench() {
  local name=$1
  shift
  manactl bench "$@" --queues 2 --no-save -o json >"/run/azure/$name.json" 2>"/run/azure/$name.err" &
  pid=$!
}

# finish NAME PID STATUS: waits for bench and prints its result.
finish() {
  local rc=0
  wait "$2" || rc=$?
  [ $rc = "$3" ] || { cat "/run/azure/$1.err"; fail "bench exited with $rc, not $3"; }
  manactl bench show "/run/azure/$1.json" >"/run/azure/$1.txt"
  sed '/^  Note/,$d' "/run/azure/$1.txt"
  expect "path" vf "$(awk '$1 == "path" { print $2 }' "/run/azure/$1.txt")"
}

# counted NAME sent|received|lost: prints the number of packets in a result.
counted() {
  count_in "/run/azure/$1.txt" "$2"
}

remember() {
  sent=$(device_packets tx_packets all) received=$(device_packets rx_packets all) dropped=$(device_packets rx_without_buffer all)
}

expect_sent() {
  expect "packets that left the device" "$1" "$(($(device_packets tx_packets all) - sent))"
}

expect_received() {
  expect "packets that the device delivered" "$1" "$(($(device_packets rx_packets all) - received))"
}

declare -A driver=([dpdk]="net_netvsc over net_mana" [verbs]=libmana)
for engine in dpdk verbs; do
  for mode in tx txrx rtt; do
    echo "# $engine, $mode, two ports of one process"
    remember
    bench one eth1 --port eth0 --mode $mode --engine $engine --duration 1 --interval 500ms
    finish one $pid 0
    grep -q -F "(${driver[$engine]})" /run/azure/one.txt || fail "another driver than ${driver[$engine]}"
    (($(counted one sent) > 1000)) || fail "only $(counted one sent) packets"
    expect_sent "$(counted one sent)"
    [ $mode != tx ] || continue
    expect_received "$(counted one received)"
    lost=$(($(device_packets rx_without_buffer all) - dropped))
    expect "sent packets that were not received" "$lost" "$(($(counted one sent) - $(counted one received)))"
    expect "lost packets" "$lost" "$(counted one lost)"
    grep -q "(not reported: missed" /run/azure/one.txt || fail "$engine cannot report packets that the device dropped"
  done
  for mode in rx fwd; do
    echo "# $engine, eth0 sends to a process with $mode on eth1"
    steered=$(requests CONFIG_VPORT_RX) eth1=$(device_packets rx_packets)
    bench receiver eth1 --mode $mode --engine $engine --duration 60
    receiver=$pid
    # Steering is the last request before the port receives.
    wait_for eval '(($(requests CONFIG_VPORT_RX) > steered))' || {
      cat /run/azure/receiver.err
      fail "the receiver did not start"
    }
    bench sender eth0 --rate 1kpps --engine $engine --duration 1
    finish sender $pid 0
    wait_for eval '(($(device_packets rx_packets) - eth1 == $(counted sender sent)))' || true
    kill -TERM $receiver
    finish receiver $receiver 143
    expect "sent and received" "$(counted sender sent)" "$(counted receiver received)"
    (($(counted sender sent) > 500)) || fail "only $(counted sender sent) packets"
    [ $mode = rx ] || expect "forwarded" "$(counted sender sent)" "$(counted receiver sent)"
    expect "packets that eth1 received from the device" "$(counted receiver received)" \
      "$(($(device_packets rx_packets) - eth1))"
  done
done
expect "violations" "[]" "$(device_console violations)"

manactl restore --all
umount /dev/hugepages
wait_for vfs_joined
