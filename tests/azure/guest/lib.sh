# SPDX-License-Identifier: MIT
#
# What the scenarios share. They are sourced by bash with -euo pipefail.

vmbus=/sys/bus/vmbus
net_guid=f8615163-df3e-46c5-913f-f2d2f965ed0e
function=7870:00:00.0
model=/usr/bin/manactl-azure-model

fail() {
  echo "FAILED: $*"
  exit 1
}

# expect WHAT WANTED GOT
expect() {
  [ "$2" = "$3" ] || fail "$1: expected '$2', found '$3'"
  echo "ok: $1: $2"
}

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
  local tenths=$(($1 * 10))
  shift
  while ! "$@" >/dev/null 2>&1; do
    ((tenths-- > 0)) || { echo "waited in vain for: $*"; return 1; }
    sleep 0.1
  done
}

# The name that a link points to, or none. In a variable of the caller, because forks are slow here.
link_name() {
  local -n result=$1
  result=none
  [ -L "$2" ] && result=$(readlink "$2") && result=${result##*/}
  return 0
}

driver_of() {
  local name
  link_name name "$1/driver"
  echo "$name"
}

uuid_of() {
  local name
  link_name name "/sys/class/net/$1/device"
  echo "$name"
}

master_of() {
  local name
  link_name name "/sys/class/net/$1/master"
  echo "$name"
}

is_up() {
  local flags
  read -r flags <"/sys/class/net/$1/flags" && [ $((flags & 1)) -eq 1 ]
}

with_vf() {
  [ -x $model ]
}

# What udev does on Azure: enP30832p0s0, and d1 for the second port.
name_vfs() {
  local path port name
  for path in /sys/bus/pci/devices/$function/net/*; do
    [ -e "$path" ] || continue
    port=$(cat "$path/dev_port")
    name=enP30832p0s0
    [ "$port" = 0 ] || name=${name}d$port
    [ "${path##*/}" != $name ] || continue
    # A renamed interface has to be down, and hv_netvsc may raise it in between.
    wait_for 5 eval 'ip link set "${path##*/}" down && ip link set "${path##*/}" name $name'
    ip link set $name up
  done
}

start_model() {
  : >/run/azure/faults
  $model /dev/azgdma --fault-file=/run/azure/faults --trace-file=/run/azure/trace --trace "$@" \
    >/run/azure/model.out 2>/run/azure/model.err &
  echo $! >/run/azure/model.pid
  wait_for 5 grep -q ready /run/azure/model.out
}

stop_model() {
  kill "$(cat /run/azure/model.pid)"
  wait_for 5 eval '! kill -0 $(cat /run/azure/model.pid)'
}

vfs_joined() {
  [ "$(master_of enP30832p0s0)" = eth0 ] && [ "$(master_of enP30832p0s0d1)" = eth1 ] &&
    is_up enP30832p0s0 && is_up enP30832p0s0d1 &&
    ip link show enP30832p0s0 | grep -q LOWER_UP && ip link show enP30832p0s0d1 | grep -q LOWER_UP
}

load_mana() {
  modprobe mana
  wait_for 10 test -e "/sys/bus/pci/devices/$function/net"
  name_vfs
  wait_for 10 vfs_joined
}

# The machine as it is after boot: two synthetic cards up, and VFs when there is a device model.
bring_up() {
  modprobe hv_netvsc
  local name
  for name in eth0 eth1; do
    wait_for 5 test -e /sys/class/net/$name
    ip link set $name up
  done
  modprobe azpci
  if with_vf; then
    start_model
    load_mana
  fi
}

# Everything that preparing a card may change, in a stable order. No counters, no interface numbers.
state() {
  local path name address mtu flags operstate
  echo "# links"
  for path in /sys/class/net/*; do
    [ -f "$path/flags" ] || continue
    read -r address <"$path/address"
    read -r mtu <"$path/mtu"
    read -r flags <"$path/flags"
    read -r operstate <"$path/operstate"
    link_name name "$path/master"
    echo "${path##*/} $address mtu $mtu flags $flags $operstate master $name"
  done
  echo "# addresses"
  ip -o address | sed -e 's/^[0-9]*: *//' -e 's/\\.*//' -e 's/ *$//' | sort
  echo "# routes"
  ip route show table all | sed 's/ *$//' | sort
  echo "# bindings"
  for path in $vmbus/devices/* /sys/bus/pci/devices/7870:*; do
    [ -e "$path" ] || continue
    link_name name "$path/driver"
    echo "${path##*/} $name"
  done
  for path in /sys/class/uio/* /sys/class/infiniband/*; do
    [ ! -e "$path" ] || echo "${path##*/}"
  done
  echo "# ids and overrides"
  cat /sys/module/hv_vmbus/parameters/ids $vmbus/devices/*/driver_override
  echo "# hugepages"
  for path in /sys/devices/system/node/node*/hugepages/*/nr_hugepages; do
    read -r name <"$path"
    echo "${path#/sys/devices/system/node/} $name"
  done
}

# Twice the same, half a second apart, with no address still under duplicate detection.
settled_state() {
  local now before= try
  for ((try = 0; try < 20; try++)); do
    now=$(state)
    if [ "$now" = "$before" ] && [[ $now != *tentative* ]]; then
      echo "$now"
      return 0
    fi
    before=$now
    sleep 0.5
  done
  echo "$now"
  return 1
}

# Addresses are good at once. The boots that are about addresses wait for duplicates, as usual.
without_duplicate_detection() {
  echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad
}

# What stands on eth1 in the boots for prepare and restore.
set_surroundings() {
  ip address replace 10.9.0.5/24 dev eth1
  ip address replace fd00:9::5/64 dev eth1 nodad
  ip route replace 10.77.0.0/16 via 10.9.0.1 metric 50
  ip -6 route replace fd00:77::/64 via fd00:9::1
}

# The state becomes again the one after boot; else the difference is shown.
is_restored() {
  local try
  for ((try = 0; try < 10; try++)); do
    state >/run/azure/state.now
    ! diff -q /run/azure/state /run/azure/state.now >/dev/null || break
    sleep 0.3
  done
  diff -U0 /run/azure/state /run/azure/state.now || fail "not restored (-: before, +: now)"
  echo "ok: restored"
}

# at_write N:ACTION COMMAND...: the command meets the action (kill, stop, int, term, hup, enospc) at
# its Nth write, which goes to /run/azure/write. With uio_hv_generic loaded a run has the same writes
# each time: two for the journal and at least one for the kernel of every step.
at_write() {
  local action=$1
  shift
  rm -f /run/azure/write
  AT_WRITE=$action AT_WRITE_LOG=/run/azure/write LD_PRELOAD=/usr/lib/at-write.so "$@"
}

# hold N COMMAND...: in the background until it stops before its Nth write. held is its process then;
# let_go sends it on and leaves its status in rc. What it says goes to /run/azure/held.
hold() {
  local number=$1
  shift
  modprobe uio_hv_generic
  at_write "$number:stop" exec "$@" >/run/azure/held 2>&1 &
  held=$!
  wait_for 20 grep -q '^State:.T (stopped)' /proc/$held/status || {
    cat /run/azure/held
    fail "'$*' does not come to its write $number"
  }
}

let_go() {
  kill -CONT $held
  rc=0
  wait $held || rc=$?
}

# probes IFACE STATUS WORDS...: how doctor's probe ends, and what it says, on any number of lines.
probes() {
  local interface=$1 wanted=$2 rc=0 words said
  shift 2
  manactl doctor --probe "$interface" >/run/azure/out 2>&1 || rc=$?
  sed '/^Direct\|^Nothing/q' /run/azure/out
  expect "status of the probe" "$wanted" $rc
  said=$(tr -s ' \n' ' ' </run/azure/out)
  for words; do
    [[ $said == *"$words"* ]] || fail "the probe did not say: $words"
  done
}

uio_maps() {
  local map
  for map in /sys/class/uio/uio0/maps/map*; do
    echo "${map##*/} $(cat $map/name) $(cat $map/size)"
  done
}

# Moves a synthetic card and its VF between namespaces: move_pair FROM TO CARD VF, "1" = the first.
# hv_netvsc moves the VF after its card, by a work item of its own, so it is waited for.
move_pair() {
  nsenter_ip "$1" link set "$3" netns "$2"
  with_vf || return 0
  wait_for 5 nsenter_ip "$2" link show "$4"
}

nsenter_ip() {
  local name=$1
  shift
  if [ "$name" = 1 ]; then ip "$@"; else ip -n "$name" "$@"; fi
}

# One card each in the namespaces left (10.7.0.1) and right (10.7.0.2).
enter_namespaces() {
  local name
  for name in left right; do ip netns add $name; done
  move_pair 1 left eth0 enP30832p0s0
  move_pair 1 right eth1 enP30832p0s0d1
  ip -n left link set eth0 up
  ip -n right link set eth1 up
  ip -n left address add 10.7.0.1/24 dev eth0
  ip -n right address add 10.7.0.2/24 dev eth1
}

# Back to the first namespace, addresses gone.
leave_namespaces() {
  move_pair left 1 eth0 enP30832p0s0
  move_pair right 1 eth1 enP30832p0s0d1
  ip netns del left
  ip netns del right
  ip link set eth0 up
  ip link set eth1 up
  if with_vf; then
    ip link set enP30832p0s0 up
    ip link set enP30832p0s0d1 up
    wait_for 5 vfs_joined
  fi
}

# ping_all NAMESPACE ADDRESS COUNT: every packet has to come back.
ping_all() {
  local out
  out=$(ip netns exec "$1" ping -c "$3" -i 0.1 -W 5 "$2") || true
  echo "$out" | tail -3
  echo "$out" | grep -q "$3 packets transmitted, $3 packets received" || fail "ping lost packets"
}

# vf_packets NAMESPACE CARD: how many packets the card sent over its VF, ever.
vf_packets() {
  ip netns exec "$1" ethtool -S "$2" | awk '$1 == "vf_tx_packets:" { print $2 }'
}

# After a failed scenario, whatever it did: so that the next one is judged by itself.
clean_up() {
  local name card=0 path
  for name in left right; do
    [ -e /run/netns/$name ] || continue
    ip -n $name link set eth$card netns 1
    sleep 1
    ip netns del $name
    card=$((card + 1))
  done
  for name in refuse_open refuse_gpadl refuse_bind; do
    echo 0 >/sys/module/hv_vmbus/parameters/$name
  done
  echo >/sys/module/hv_vmbus/parameters/refuse_driver
  echo 0xffffffff >/sys/module/hv_vmbus/parameters/vf
  for name in 0 1; do echo $name >/sys/module/hv_vmbus/parameters/offer; done
  [ ! -x /usr/bin/manactl ] || manactl restore --all --force
  echo $net_guid >$vmbus/drivers/uio_hv_generic/remove_id
  for path in $vmbus/devices/*; do
    echo >"$path/driver_override"
    [ "$(driver_of "$path")" = hv_netvsc ] && continue
    echo "${path##*/}" >$vmbus/drivers/uio_hv_generic/unbind
    echo "${path##*/}" >$vmbus/drivers/hv_netvsc/bind
  done
  echo 0 >/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages
  rmmod mana_ib
  echo 1 >/sys/module/azpci/parameters/present
  if with_vf; then
    [ "$(driver_of /sys/bus/pci/devices/$function)" = mana ] ||
      echo $function >/sys/bus/pci/drivers/mana/bind
    modprobe mana
    name_vfs
  fi
  for path in /sys/class/net/e*; do ip link set "${path##*/}" up; done
  if grep -q "^10.77" /run/azure/state; then
    modprobe mana_ib
    set_surroundings
  fi
}
