# SPDX-License-Identifier: MIT
#
# The live view counts the packets that the MANA device has seen, and shows when the VF left and returned. wait ends when
# the VF is used again.

. /guest/dpdk.sh

# sum_of PATH COUNTER: adds up the increases of a counter of eth0 in the lines of the view.
sum_of() {
  grep -o "\"name\":\"eth0\".*" /run/azure/view | sed 's/"name":"eth1".*//' | grep -o "\"$1\":{[^}]*" |
    grep -o "\"$2\":[0-9]*" | awk -F: '{ sum += $2 } END { printf "%d\n", sum }'
}

# lines_of_view: prints the number of complete lines.
lines_of_view() {
  wc -l </run/azure/view
}

# next_lines: waits for two more lines of the view, so that one of them began after this call.
next_lines() {
  local before
  before=$(lines_of_view)
  wait_for eval "((\$(lines_of_view) >= $before + 2))"
}

# states: prints the states of the VF of eth0 in the view, each once in a row.
states() {
  sed -n 's/.*"name":"eth0","vf_state":"\([a-z-]*\)".*/\1/p' /run/azure/view | uniq | tr '\n' ' '
}

stop_view() {
  local rc=0
  kill -TERM "$1"
  wait "$1" || rc=$?
  expect "status of the view" 143 $rc
}

enter_namespaces
: >/run/azure/view
before=$(device_packets tx_packets 3b:d0)
before_received=$(device_packets rx_packets 3b:d0)
ip netns exec left manactl status --watch --interval 200ms -o ndjson >/run/azure/view &
view=$!
next_lines
ping_all left 10.7.0.2 20
next_lines
stop_view $view
sent=$(($(device_packets tx_packets 3b:d0) - before))
received=$(($(device_packets rx_packets 3b:d0) - before_received))
# The kernel may have sent a packet of IPv6 before the view or after it.
for pair in "sent $sent $(sum_of vf tx_packets)" "received $received $(sum_of vf rx_packets)"; do
  read -r what device shown <<<"$pair"
  ((shown >= 20 && shown <= device && shown + 8 >= device)) ||
    fail "the device has $what $device packets, and the view shows $shown"
  echo "ok: the view shows the packets that the device has $what"
done
expect "packets sent on the synthetic path" 0 "$(sum_of synthetic tx_packets)"
expect "states" "used " "$(states)"
leave_namespaces

: >/run/azure/view
manactl status --watch --interval 200ms -o ndjson >/run/azure/view &
view=$!
next_lines
expect "wait while the VF is used" "eth0: VF enP30832p0s0 is in use" "$(manactl wait eth0 --for vf)"
remove_vfs
next_lines
rc=0
manactl wait eth0 --for vf --timeout 1ms >/run/azure/out 2>&1 || rc=$?
expect "status of wait without the VF" 1 $rc
grep -q "timed out after less than 1 s: eth0: no VF; run 'manactl check eth0'" /run/azure/out ||
  fail "wait printed: $(cat /run/azure/out)"
manactl wait --for vf --timeout 1h >/run/azure/out &
waiting=$!
return_vfs
await_vfs
wait $waiting || fail "wait exited with $?"
cat /run/azure/out
expect "VFs that wait saw" 2 "$(grep -c "is in use" /run/azure/out)"
next_lines
stop_view $view
case $(states) in
"used "*"absent "*"used ") echo "ok: the view shows that the VF left and returned" ;;
*) fail "the view shows the states: $(states)" ;;
esac
grep -q '"vf_state":"used","since":"' /run/azure/view || fail "the view does not show since when the VF is used"
