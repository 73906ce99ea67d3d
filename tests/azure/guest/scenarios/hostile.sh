# SPDX-License-Identifier: MIT
#
# The device misbehaves while the kernel's drivers bind, send and receive. After each kind of misbehavior, a driver that
# binds again must work, and doctor must explain what the kernel logged. The kernel command line may contain
# azure.seed=N, azure.kinds=KIND+KIND..., azure.rate=N (one of N opportunities), azure.seconds=N (for each kind) and
# azure.events=N (of each kind, unless azure.seconds pass before).

. /guest/dpdk.sh

plan=$(parameter seed 1),rate=$(parameter rate 10) seconds=$(parameter seconds 1)
events=$(parameter events 0)
kinds=$(parameter kinds response-header-length+activity-id+packet-length)

# misbehaviors: prints how often the device has misbehaved.
misbehaviors() {
  device_console statistics | sed -n 's/.*"misbehaviors":{\(.*\)}}/\1/p' | tr ',' '\n' |
    awk -F: '{ sum += $2 } END { printf "%d\n", sum }'
}

# rebind: binds mana again, as far as the device lets it, and sets the VFs up.
rebind() {
  local path
  (echo $function >/sys/bus/pci/drivers/mana/unbind) 2>/dev/null || true
  (echo $function >/sys/bus/pci/drivers/mana/bind) 2>/dev/null || true
  for path in /sys/bus/pci/devices/$function/net/*; do
    [ ! -e "$path" ] || ip link set "${path##*/}" up 2>/dev/null || true
  done
}

# send SECONDS: sends from both NICs to addresses that nobody has, so that the kernel drops the packets. A driver that
# has lost completions blocks the sender.
send() {
  timeout 3 udp-send 10.7.0.9 100 "$1" >/dev/null &
  timeout 3 udp-send 10.8.0.9 1000 "$1" >/dev/null || true
  wait $! || true
}

# send_requests: sets the VFs down and up, for which the driver sends about 50 requests.
send_requests() {
  local path state
  for state in down up; do
    for path in /sys/bus/pci/devices/$function/net/*; do
      [ ! -e "$path" ] || ip link set "${path##*/}" $state 2>/dev/null || true
    done
  done
}

# provoke KIND: gives the device opportunities for misbehavior of this kind.
provoke() {
  case $1 in
    response-header-length | response-completion-length | message-id | activity-id | unsolicited-event) send_requests && send 0.05 ;;
    *) send 0.5 ;;
  esac
}

# needs_rebind KIND: whether binding again leads to more misbehaviors of this kind than sending.
needs_rebind() {
  [[ $1 = response-* || $1 = message-id || $1 = activity-id || $1 = unsolicited-event ]] || ((count == before))
}

# enough: whether the time or the events of a kind are over; without azure.events, at least 3 are needed.
enough() {
  if ((events)); then ((count >= events || SECONDS >= end)); else ((count >= 3 && SECONDS >= end)); fi
}

carries_packets() {
  local before
  before=$(device_packets rx_packets all)
  send 0.2
  (($(device_packets rx_packets all) > before + 20))
}

ip address add 10.7.0.1/24 dev eth0
ip address add 10.8.0.1/24 dev eth1
ip neighbor add 10.7.0.9 lladdr 00:0d:3a:76:3b:d1 dev eth0
ip neighbor add 10.8.0.9 lladdr 00:0d:3a:76:3b:d0 dev eth1
carries_packets || fail "no packets before the first misbehavior"

total=$(misbehaviors)
for kind in ${kinds//+/ }; do
  lines=$(dmesg | wc -l)
  expect "$kind" ok "$(device_console "hostile $plan,kinds=$kind")"
  end=$((SECONDS + seconds)) count=0
  until enough; do
    before=$count
    provoke "$kind"
    count=$(($(misbehaviors) - total))
    # To bind again, a driver that has lost completions waits for two minutes.
    ! needs_rebind "$kind" || rebind
    echo "$kind: $count misbehaviors"
  done
  expect "hostile" ok "$(device_console "hostile off")"
  total=$(misbehaviors)
  rebind
  wait_limit=20 wait_for carries_packets || { dmesg | tail -n 30; fail "no packets after $kind"; }
  dmesg | tail -n +$((lines + 1)) >/run/azure/log
  manactl doctor --log /run/azure/log >/run/azure/out || true
  grep -A 2 -e "^Root cause" -e "^Recovered" /run/azure/out
  ! grep -q "^Unrecognized" /run/azure/out || fail "doctor does not explain the kernel log"
done

name_vfs
for name in eth0 eth1; do ip neighbor flush dev $name nud permanent; done
ip address del 10.7.0.1/24 dev eth0
ip address del 10.8.0.1/24 dev eth1
wait_for vfs_joined
