# SPDX-License-Identifier: MIT
#
# Functions of the scenarios that run DPDK. Source this file in a scenario.

hugepages=/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages

# reserve_hugepages PAGES: reserves pages of 2 MB.
reserve_hugepages() {
  echo "$1" >$hugepages
  expect "hugepages" "$1" "$(cat $hugepages)"
  grep -q ' /dev/hugepages ' /proc/mounts || mount -t hugetlbfs hugetlbfs /dev/hugepages
}

release_hugepages() {
  rm -f /dev/hugepages/*
  echo 0 >$hugepages
}

# testpmd SECONDS EAL-ARGUMENT... -- ARGUMENT...: forwards packets until dpdk-testpmd has printed its statistics
# this many times, once a second. Prints its output and keeps it in /run/azure/testpmd.
testpmd() {
  local periods=$1 rc=0 pid
  shift
  in_background /run/azure/testpmd dpdk-testpmd --lcores=0@0,1@1 "$@" --stats-period=1
  wait_for eval "! kill -0 $pid || ((\$(grep -c '^Port statistics' /run/azure/testpmd) > $periods))" || true
  kill -INT $pid 2>/dev/null || true
  wait $pid || rc=$?
  grep -v -e '^ *[RT]x-[pb]ps' -e '^ *$' /run/azure/testpmd
  expect "status of dpdk-testpmd" 0 $rc
}

# accumulated COUNTER: prints a counter for all ports, such as RX-packets.
accumulated() {
  sed -n '/Accumulated/,$ s/.*'"$1"': *\([0-9]*\).*/\1/p' /run/azure/testpmd
}

# bind_channel UUID DRIVER: binds a VMBus channel to another driver; hv_netvsc needs no driver_override.
bind_channel() {
  local device=$vmbus/devices/$1
  echo "$1" >"$device/driver/unbind"
  if [ "$2" = hv_netvsc ]; then echo; else echo "$2"; fi >"$device/driver_override"
  echo "$1" >"$vmbus/drivers/$2/bind"
}

# device_packets COUNTER [PORT]: prints a counter of the MANA device, such as tx_packets, for the port whose MAC
# address ends with PORT (default: eth1), or for "all" ports.
device_packets() {
  local port=${2:-3b:d1}
  device_console statistics | tr '{' '\n' | awk -v name="\"$1\":" -v port="${port/all/mac}\"" '
    index($0, port) && (at = index($0, name)) { sum += substr($0, at + length(name)) + 0 }
    END { printf "%d\n", sum }'
}

# remove_vfs: removes all VFs as Azure does: the host notifies the drivers, which switch to the synthetic device, and
# then removes the function.
remove_vfs() {
  echo 0 >/sys/module/hv_vmbus/parameters/vf
  wait_for eval 'sent=$(device_packets tx_packets all) && sleep 0.3 && [ $(device_packets tx_packets all) = $sent ]'
  set_present 0
  [ ! -e /sys/bus/pci/devices/$function ] || fail "the function is still there"
}

# stop_bench PID: ends a bench whose output is in /run/azure/result and /run/azure/err. Prints its report, without
# the notes, and keeps it in /run/azure/out.
stop_bench() {
  local rc=0
  kill -TERM "$1"
  wait "$1" || rc=$?
  cat /run/azure/err
  expect "status of bench" 143 $rc
  manactl bench show -v /run/azure/result | sed '/^  Note/,$d' | tee /run/azure/out
}
