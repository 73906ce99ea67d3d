# SPDX-License-Identifier: MIT
#
# Functions that the scenarios share. bash sources it with -euo pipefail, so search an output with `grep -q TEXT <<<"$(...)"`:
# in a pipe, grep -q would end before the writer, which then fails with SIGPIPE.

vmbus=/sys/bus/vmbus
net_guid=f8615163-df3e-46c5-913f-f2d2f965ed0e
function=7870:00:00.0
# The address that run-guest gives the function; azrelay exists for x86-64 only.
[ "$HOSTTYPE" = x86_64 ] || function=0000:00:05.0
tracing=/sys/kernel/debug/tracing

fail() {
  echo "FAILED: $*"
  echo "$*" >/run/azure/failure
  exit 1
}

# Records the command that ended the scenario, unless fail has recorded a reason. Called by the trap of EXIT.
record_failure() {
  local status=$? command=$BASH_COMMAND
  [ $status -eq 0 ] || [ -e /run/azure/failure ] || echo "status $status: $command" >/run/azure/failure
}

# expect WHAT WANTED GOT: fails unless GOT equals WANTED
expect() {
  [ "$2" = "$3" ] || fail "$1: expected '$2', found '$3'"
  echo "ok: $1: $2"
}

# wait_for COMMAND...: waits until the command succeeds, and fails after $wait_limit seconds. The limit is long, because a
# busy machine takes many times longer than an idle one.
wait_limit=120
wait_for() {
  local end=$((SECONDS + wait_limit))
  while ! "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || { echo "timeout while waiting for: $*"; return 1; }
    sleep 0.1
  done
}

# in_background LOG COMMAND...: starts the command with its output in LOG, and sets $pid. LOG is empty before the function
# returns, because a wait for a line must not end at a line of an earlier command.
in_background() {
  local log=$1
  shift
  : >"$log"
  "$@" </dev/null >"$log" 2>&1 &
  pid=$!
}

# link_name VARIABLE LINK: sets VARIABLE to the name that LINK points to, or to "none". To read
# printed output, the caller would have to fork, which is slow in the emulated machine.
link_name() {
  local -n result=$1
  result=none
  [ -L "$2" ] && result=$(readlink "$2") && result=${result##*/}
  return 0
}

# parameter NAME DEFAULT: prints azure.NAME of the kernel command line.
parameter() {
  [[ $(</proc/cmdline) =~ azure\.$1=([^ ]*) ]] && echo "${BASH_REMATCH[1]}" || echo "$2"
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

# is_operational INTERFACE: whether the kernel reports the operational state "up". It may take a second longer than
# the carrier, because the kernel delays such updates.
is_operational() {
  grep -qx up "/sys/class/net/$1/operstate"
}

# with_vf: whether the machine has VFs. They can be switched off for a whole boot only.
with_vf() {
  [ -e /sys/module/azrelay ] && ! grep -qw hv_vmbus.vf=0 /proc/cmdline
}

# device_console COMMAND...: sends a command to mana-device and prints its answer, such as a line of JSON.
device_console() {
  local answer
  exec 3<>/dev/ttyS2
  stty raw -echo <&3
  echo "$*" >&3
  IFS= read -r -t 60 answer <&3 || fail "mana-device does not answer"
  exec 3>&-
  echo "$answer"
}

# requests NAME: prints how often mana-device has executed a request with success, such as CREATE_PD.
requests() {
  local answer
  answer=$(device_console requests)
  [[ $answer =~ \"$1\":([0-9]+) ]] && echo "${BASH_REMATCH[1]}" || echo 0
}

# faults [FAULT...]: replaces the faults of mana-device; see mana-device(1).
faults() {
  local fault
  expect "no-faults" ok "$(device_console no-faults)"
  for fault; do expect "fault $fault" ok "$(device_console fault "$fault")"; done
}

# count_in FILE NAME: prints the count in this row of the result of bench, without grouping its digits.
count_in() {
  awk -v name="$2" '$1 == name { gsub(",", "", $2); print $2 }' "$1"
}

# set_present MASK: removes PCI functions from the bus, or adds them; bit 0 is 7870:00:00.0.
set_present() {
  echo "$1" >/sys/module/azrelay/parameters/present
}

# return_vfs: adds all VFs again. The host associates them first: since Linux 6.12, mana_ib needs a lock while it probes the
# function, and hv_netvsc holds this lock until it knows the association.
return_vfs() {
  echo 0xffffffff >/sys/module/hv_vmbus/parameters/vf
  set_present 1
}

# Names the VFs as udev does on Azure: enP30832p0s0, with the suffix d1 for the second port.
rename_vfs() {
  local path port name
  for path in /sys/bus/pci/devices/$function/net/*; do
    # The VF may vanish at any moment.
    read -r port 2>/dev/null <"$path/dev_port" || continue
    name=enP30832p0s0
    [ "$port" = 0 ] || name=${name}d$port
    [ "${path##*/}" != $name ] || continue
    # An interface must be down to be renamed. hv_netvsc may have set it up, and may do so between the two commands; the
    # caller then tries again.
    ip link set "${path##*/}" name $name 2>/dev/null || {
      ip link set "${path##*/}" down && ip link set "${path##*/}" name $name && ip link set $name up
    } || true
  done
}

# Names the VFs and sets them up.
name_vfs() {
  local name
  rename_vfs
  for name in enP30832p0s0 enP30832p0s0d1; do
    [ ! -e /sys/class/net/$name ] || is_up $name || ip link set $name up || true
  done
}

# count_takeovers: lets the kernel count how often hv_netvsc has taken over a VF. 100 ms after a VF has joined, hv_netvsc
# sets it up or down like its synthetic interface, and overrides what was set before.
count_takeovers() {
  echo "r:takeover __netvsc_vf_setup" >$tracing/kprobe_events || fail "the kernel has no function __netvsc_vf_setup"
  echo 1 >$tracing/events/kprobes/takeover/enable
}

takeovers() {
  awk '$1 == "takeover" { print $2 }' $tracing/kprobe_profile
}

# takeovers_exceed NUMBER: whether hv_netvsc has taken over a VF more often than this.
takeovers_exceed() {
  [ "$(takeovers)" -gt "$1" ]
}

vfs_joined() {
  [ "$(master_of enP30832p0s0)" = eth0 ] && [ "$(master_of enP30832p0s0d1)" = eth1 ] &&
    is_operational enP30832p0s0 && is_operational enP30832p0s0d1
}

# await_vfs: names the VFs as they appear, and waits until they have joined.
await_vfs() {
  wait_for eval 'name_vfs; vfs_joined'
}

load_mana() {
  modprobe mana
  await_vfs
}

# Sets up the state after boot: two synthetic interfaces up, and their VFs.
bring_up() {
  modprobe hv_netvsc
  count_takeovers
  local name
  for name in eth0 eth1; do
    wait_for test -e /sys/class/net/$name
    ip link set $name up
  done
  [ -z "$(lspci -n -d 1414:00ba)" ] || modprobe azrelay
  ! with_vf || load_mana
}

# Prints the settings of an interface that neither /proc nor /sys shows.
link_settings() {
  local option
  for option in l g c k x a s; do ethtool -$option $1 2>/dev/null; done | grep -v -e 'Link detected' -e 'Speed:'
  ethtool -n $1 rx-flow-hash udp4
  ip -d -o link show dev $1 | grep -oE 'altname [^ ]+|promiscuity [0-9]+|allmulti [0-9]+|g[sr]o_[a-z0-9_]+ [0-9]+'
  tc qdisc show dev $1 root
  ip neigh show nud permanent dev $1
  ip neigh show proxy dev $1
  ip maddress show dev $1 | grep static
  bridge fdb show dev $1 | grep -v ' 33:\|^33:\|^01:' || true
  ip token get dev $1
}

# Prints everything that preparing a NIC may change, in a stable order, without counters and interface
# indexes.
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
  # When an interface is renamed, the kernel numbers its labels: eth1:2.
  ip -o address | sed -e 's/^[0-9]*: *//' -e 's/\\.*//' -e 's/ *$//' -e 's/ \(eth[0-9]\):[0-9]*$/ \1/' | sort
  echo "# routes"
  ip route show table all | sed 's/ *$//' | sort
  echo "# next-hop objects"
  ip nexthop
  echo "# rules"
  # The first VRF adds a rule for good.
  { ip rule && ip -6 rule; } | grep -v l3mdev-table
  echo "# settings"
  # The MPLS sysctls of a VF do not return when it comes back from another network namespace (Linux 6.1).
  grep -rs . /proc/sys/net/ipv[46]/*/{eth,enP}* /proc/sys/net/mpls/conf/eth* /sys/class/net/{eth,enP}*/{ifalias,tx_queue_len,gro_flush_timeout,napi_defer_hard_irqs,netdev_group,threaded} \
    /sys/class/net/{eth,enP}*/queues/*/{[rx]ps_*,byte_queue_limits/limit_m*} | sort
  [ ! -e /sys/class/net/eth1 ] || link_settings eth1
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

# settled_state [EXPECTED]: waits until the state has not changed for half a second and no address is tentative,
# and prints it. With the file EXPECTED, it also waits until the state equals the file, because the kernel and the
# network managers change some values late.
settled_state() {
  local now before= expected= end=$((SECONDS + wait_limit))
  [ $# -eq 0 ] || expected=$(<"$1")
  while true; do
    now=$(state)
    if [ "$now" = "$before" ] && [[ $now != *tentative* ]] && { [ -z "$expected" ] || [ "$now" = "$expected" ]; }; then
      break
    fi
    ((SECONDS < end)) || { echo "$now"; return 1; }
    before=$now
    sleep 0.5
  done
  echo "$now"
}

# Disables duplicate address detection, so that IPv6 addresses are usable at once.
without_duplicate_detection() {
  echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad
}

# Adds addresses, routes and settings to eth1, for the boots that test prepare and restore.
configure_eth1() {
  local cpus
  ip address replace 10.9.0.5/24 dev eth1
  ip address replace fd00:9::5/64 dev eth1 nodad
  ip route replace 10.77.0.0/16 via 10.9.0.1 metric 50
  ip -6 route replace fd00:77::/64 via fd00:9::1
  ip address replace 10.11.0.5/24 dev eth1 metric 300
  ip address replace 10.12.0.5/24 dev eth1 noprefixroute
  ip route replace 10.12.0.0/24 dev eth1 proto kernel scope link src 10.12.0.5 metric 100
  ip route replace 10.78.0.0/16 via 10.9.0.1 mtu 1400 initcwnd 20
  ip -6 route replace fd00:78::/64 nexthop via fd00:9::1 dev eth1 nexthop via fd00:9::2 dev eth1
  ip nexthop replace id 5 via 10.9.0.1 dev eth1
  ip route replace 10.79.0.0/16 nhid 5
  echo 2 >/proc/sys/net/ipv4/conf/eth1/rp_filter
  echo 1 >/proc/sys/net/ipv4/conf/eth1/arp_ignore
  echo 2 >/proc/sys/net/ipv6/conf/eth1/accept_ra
  echo 77 >/proc/sys/net/ipv4/neigh/eth1/gc_stale_time
  modprobe mpls_router
  echo 1 >/proc/sys/net/mpls/conf/eth1/input
  ip link set eth1 alias "the back end" txqueuelen 4000 group 7
  echo 5000 >/sys/class/net/eth1/gro_flush_timeout
  echo 2 >/sys/class/net/eth1/napi_defer_hard_irqs
  echo 1 >/sys/class/net/eth1/threaded
  # Not the default number of channels, which is the number of CPUs, and not the default RSS table.
  cpus=$(grep -c ^processor /proc/cpuinfo)
  ethtool -L eth1 combined $(((cpus + 1) / 2))
  [ $cpus -lt 4 ] || ethtool -X eth1 weight 1 3
  ethtool -K eth1 gro off >/dev/null
  ethtool -N eth1 rx-flow-hash udp4 sdfn
  ethtool -s eth1 msglvl 7
  ip link show data0 >/dev/null 2>&1 || ip link property add dev eth1 altname data0
  ip link set eth1 gso_max_segs 20 allmulticast on
  ip neigh replace 10.9.0.9 lladdr 02:00:00:00:00:09 dev eth1 nud permanent
  ip neigh replace proxy 10.9.0.8 dev eth1
  ip maddress add 01:00:5e:01:02:03 dev eth1
  bridge fdb replace 02:00:00:00:00:07 dev eth1 self
  ip token set ::a:b:c:d dev eth1
  echo 1 >/sys/class/net/eth1/queues/rx-0/rps_cpus
  echo 64 >/sys/class/net/eth1/queues/rx-0/rps_flow_cnt
  echo 1 >/sys/class/net/eth1/queues/tx-0/xps_cpus
  echo 500000 >/sys/class/net/eth1/queues/tx-0/byte_queue_limits/limit_max
  ethtool -G eth1 rx 512 tx 256
  tc qdisc replace dev eth1 root handle 8001: pfifo limit 500
  [[ $(ip rule) == *'oif eth1'* ]] || ip rule add oif eth1 table 100
}

# Waits until the state equals the state after boot; otherwise prints the difference and fails.
is_restored() {
  wait_for eval 'state >/run/azure/state.now; diff -q /run/azure/state /run/azure/state.now' || true
  diff -U0 /run/azure/state /run/azure/state.now || fail "not restored (-: before, +: now)"
  echo "ok: restored"
}

# at_write N:ACTION COMMAND...: runs the command with an action (kill, stop, int, term, hup, enospc) at
# its Nth write, and records that write in /run/azure/write. If uio_hv_generic was loaded before,
# every run makes the same writes: for each step, two to the journal and at least one to the kernel.
at_write() {
  local action=$1
  shift
  rm -f /run/azure/write
  AT_WRITE=$action AT_WRITE_LOG=/run/azure/write LD_PRELOAD=/usr/lib/at-write.so "$@"
}

# stop_at_write N COMMAND...: runs the command in the background until it stops before its Nth write, with
# its output in /run/azure/stopped. Sets $stopped to the PID. resume continues the command and sets $rc.
stop_at_write() {
  local number=$1
  shift
  modprobe uio_hv_generic
  at_write "$number:stop" exec "$@" >/run/azure/stopped 2>&1 &
  stopped=$!
  wait_for grep -q '^State:.T (stopped)' /proc/$stopped/status || {
    cat /run/azure/stopped
    fail "'$*' did not stop before its write $number"
  }
}

resume() {
  kill -CONT $stopped
  rc=0
  wait $stopped || rc=$?
}

# Prints the PID of the watchdog: the manactl process whose parent is init.
watchdog() {
  local path name
  for path in /proc/[0-9]*; do
    IFS= read -r -d '' name 2>/dev/null <"$path/cmdline" || continue
    [ "$name" = manactl ] || continue
    grep -q '^PPid:.1$' "$path/status" 2>/dev/null && echo "${path##*/}" && return 0
  done
  return 1
}

# set_confirm_timeout: sets $confirm_timeout to more than twice the time that prepare takes on this machine now.
set_confirm_timeout() {
  local start=${EPOCHREALTIME/./}
  manactl prepare eth1 --hugepages 16 >/run/azure/out || fail "prepare exited with $?"
  manactl restore eth1 >/run/azure/out || fail "restore exited with $?"
  confirm_timeout=$(((${EPOCHREALTIME/./} - start) * 2 / 1000000 + 1))s
}

# expect_probe IFACE STATUS TEXT...: checks the exit status of doctor's probe and that its output
# contains every TEXT, ignoring line breaks.
expect_probe() {
  local interface=$1 expected=$2 rc=0 text output
  shift 2
  manactl doctor --probe "$interface" >/run/azure/out 2>&1 || rc=$?
  sed '/^Direct\|^Nothing/q' /run/azure/out
  expect "status of the probe" "$expected" $rc
  output=$(tr -s ' \n' ' ' </run/azure/out)
  for text; do
    [[ $output == *"$text"* ]] || fail "the probe did not print: $text"
  done
}

uio_maps() {
  local map
  for map in /sys/class/uio/uio0/maps/map*; do
    echo "${map##*/} $(cat $map/name) $(cat $map/size)"
  done
}

# vf_follows: whether hv_netvsc moves the VF to the namespace of its synthetic interface. Kernels that do, such as 6.12 and
# 6.1.115, contain this message.
vf_follows() {
  grep -q "Moved VF to namespace with" "$(modinfo -F filename hv_netvsc)"
}

# move_pair FROM TO INTERFACE VF: moves a synthetic interface and its VF between namespaces and sets both up; "1" is the
# namespace of init. The VF leaves its synthetic interface, joins it again in the new namespace, and is taken over there.
move_pair() {
  local before
  before=$(takeovers)
  nsenter_ip "$1" link set "$3" netns "$2"
  if with_vf; then
    vf_follows || nsenter_ip "$1" link set "$4" netns "$2"
    wait_for takeovers_exceed "$before"
  fi
  nsenter_ip "$2" link set "$3" up
  ! with_vf || wait_for is_operational_in "$2" "$4"
}

# is_operational_in NAMESPACE INTERFACE: whether the operational state is "up".
is_operational_in() {
  grep -q "^$2 *UP " <<<"$(nsenter_ip "$1" -br link show "$2")"
}

nsenter_ip() {
  local name=$1
  shift
  if [ "$name" = 1 ]; then ip "$@"; else ip -n "$name" "$@"; fi
}

# Moves one NIC to each of the namespaces left (10.7.0.1) and right (10.7.0.2).
enter_namespaces() {
  local name
  for name in left right; do ip netns add $name; done
  move_pair 1 left eth0 enP30832p0s0
  move_pair 1 right eth1 enP30832p0s0d1
  ip -n left address add 10.7.0.1/24 dev eth0
  ip -n right address add 10.7.0.2/24 dev eth1
}

# Moves the NICs back to the first namespace, which removes their addresses.
leave_namespaces() {
  move_pair left 1 eth0 enP30832p0s0
  move_pair right 1 eth1 enP30832p0s0d1
  ip netns del left
  ip netns del right
  ! with_vf || wait_for vfs_joined
}

# ping_all NAMESPACE ADDRESS COUNT: fails unless every packet is answered.
ping_all() {
  local out
  out=$(ip netns exec "$1" ping -c "$3" -i 0.1 -W 5 "$2") || true
  echo "$out" | tail -3
  grep -q "$3 packets transmitted, $3 packets received" <<<"$out" || fail "ping lost packets"
}

# vf_packets NAMESPACE INTERFACE: prints how many packets the interface has sent over its VF.
vf_packets() {
  ip netns exec "$1" ethtool -S "$2" | awk '$1 == "vf_tx_packets:" { print $2 }'
}

# Restores the state after a failed scenario, so that the next scenario does not fail as well.
clean_up() {
  local name interface vf path
  for name in left:eth0:enP30832p0s0 right:eth1:enP30832p0s0d1; do
    IFS=: read -r name interface vf <<<"$name"
    [ -e /run/netns/$name ] || continue
    ip -n $name link set $interface netns 1
    ! with_vf || vf_follows || ip -n $name link set $vf netns 1
    ! with_vf || wait_limit=10 wait_for test -e /sys/class/net/$vf || true
    ip netns del $name
  done
  [ ! -e /run/netns/elsewhere ] || ip netns del elsewhere
  ip address del 10.7.0.2/24 dev eth1
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
  set_present 1
  if with_vf; then
    [ "$(driver_of /sys/bus/pci/devices/$function)" = mana ] ||
      echo $function >/sys/bus/pci/drivers/mana/bind
    modprobe mana
    name_vfs
  fi
  for path in /sys/class/net/e*; do ip link set "${path##*/}" up; done
  if grep -q "^10.77" /run/azure/state; then
    modprobe mana_ib
    configure_eth1
  fi
}
