# SPDX-License-Identifier: MIT
#
# Measures what a sent packet costs in the guest, for bench/vm-traffic: the kernel's UDP, dpdk-testpmd, and bench. Each
# line "cost NAME PACKETS CPU MICROSECONDS INTERRUPTS" contains what the device has sent, the CPU time of all CPUs in
# hundredths of a second, the elapsed time, and the interrupts of the device. The line "interrupt COUNT MICROSECONDS"
# contains how often the kernel called the handlers of the device's interrupts while it sent UDP, and the time in them.
# No figure is compared with a limit.

. /guest/dpdk.sh
mount -t hugetlbfs hugetlbfs /dev/hugepages
seconds=$(parameter seconds 2)

# Prints packets, busy CPU time, time and interrupts.
counters() {
  local packets
  packets=$(device_packets tx_packets all)
  echo "$packets $(awk '$1 == "cpu" { print $2 + $3 + $4 + $7 + $8 }' /proc/stat) ${EPOCHREALTIME/./} \
    $(awk '/mana/ { for (i = 2; $i ~ /^[0-9]+$/; ++i) sum += $i } END { print sum + 0 }' /proc/interrupts)"
}

# measure NAME PROGRAM ARGUMENT...: runs the program in the background and measures while it sends.
measure() {
  local name=$1 sent
  shift
  sent=$(device_packets tx_packets all)
  "$@" </dev/null >/run/azure/measured 2>&1 &
  pid=$!
  wait_for eval '(($(device_packets tx_packets all) > sent + 2000))' ||
    { cat /run/azure/measured; fail "$name sends no packets"; }
  local before after i
  read -ra before < <(counters)
  sleep "$seconds"
  read -ra after < <(counters)
  kill -INT $pid
  wait $pid || true
  rm -f /dev/hugepages/rtemap_*
  for i in "${!after[@]}"; do after[i]=$((after[i] - before[i])); done
  echo "cost $name ${after[*]}"
}

# trace_handlers SECONDS: prints how often and how long the handlers of the device's interrupts ran.
trace_handlers() {
  local tracing=/sys/kernel/tracing event
  grep -q " $tracing " /proc/mounts || mount -t tracefs tracefs $tracing
  echo 'name ~ "mana*"' >$tracing/events/irq/irq_handler_entry/filter
  for event in entry exit; do echo 1 >$tracing/events/irq/irq_handler_$event/enable; done
  sleep "$1"
  for event in exit entry; do echo 0 >$tracing/events/irq/irq_handler_$event/enable; done
  # For example: <idle>-0 [001] d.h.. 12.345678: irq_handler_entry: irq=25 name=mana_q1@pci:7870:00:00.0
  sed -n 's/.*\[\([0-9]*\)\].* \([0-9]*\)\.\([0-9]*\): irq_handler_\([a-z]*\): irq=\([0-9]*\).*/\1 \2\3 \4 \5/p' \
    $tracing/trace | awk '
    $3 == "entry" { began[$1] = $2; irq[$1] = $4 }
    $3 == "exit" && irq[$1] == $4 { ++count; sum += $2 - began[$1]; irq[$1] = "" }
    END { printf "interrupt %d %d\n", count, sum }'
  umount $tracing
}

testpmd=(dpdk-testpmd --lcores=0@0,1@1 --vdev="$function,mac=00:0d:3a:76:3b:d1")
forward=(--total-num-mbufs=16384 --forward-mode=txonly --auto-start --txd=256 --rxd=256 --stats-period=1)
bench=(manactl bench eth1 --size 64 --duration 60 --no-save)

ip address add 10.8.0.1/24 dev eth1
ip neighbor add 10.8.0.9 lladdr 00:0d:3a:76:3b:d0 dev eth1
measure kernel-udp udp-send 10.8.0.9 22 60
udp-send 10.8.0.9 22 60 >/dev/null &
trace_handlers "$seconds"
kill $!
wait $! || true
ip neighbor flush dev eth1 nud permanent
ip address del 10.8.0.1/24 dev eth1

reserve_hugepages 160
for name in eth0 eth1 enP30832p0s0 enP30832p0s0d1; do ip link set $name down; done
measure testpmd-net_mana "${testpmd[@]}" -- "${forward[@]}"
for name in enP30832p0s0 enP30832p0s0d1 eth0 eth1; do ip link set $name up; done
release_hugepages
wait_for vfs_joined

manactl prepare eth1 --hugepages 160 >/run/azure/out
uuid=$(basename $vmbus/devices/*-3bd1000d3a76)
measure testpmd-net_netvsc "${testpmd[@]}" -a "$uuid" -- "${forward[@]}"
measure bench-dpdk "${bench[@]}" --engine dpdk
measure bench-verbs "${bench[@]}" --engine verbs
measure bench-verbs-burst-1 "${bench[@]}" --engine verbs --burst 1
expect "violations" "[]" "$(device_console violations)"
manactl restore --all
umount /dev/hugepages
wait_for vfs_joined
