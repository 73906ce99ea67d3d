# SPDX-License-Identifier: MIT
#
# Interfaces change their names while prepare and restore run: udev renames the VF, an administrator renames both interfaces
# or swaps the names of two NICs, and the kernel gives the name of a prepared NIC to another NIC that the host offers again.
# Each must get its own settings back. The kernel command line may contain azure.seed=N and azure.rounds=N.

RANDOM=$(parameter seed 1)
rounds=$(parameter rounds 4)
vf=enP30832p0s0d1
channel0=$(uuid_of eth0)
channel1=$(uuid_of eth1)
knobs=/sys/module/hv_vmbus/parameters

random_delay() {
  printf -v delay '0.%03d' $((RANDOM % 300))
}

# run STATUS ARGUMENT...: runs manactl, which must exit with STATUS.
run() {
  local expected=$1 rc=0
  shift
  manactl "$@" >/run/azure/out 2>&1 || rc=$?
  [ $rc -eq "$expected" ] || { cat /run/azure/out; fail "round $round: manactl $* exited with $rc, not $expected"; }
}

# name_on CHANNEL: prints the name of its interface.
name_on() {
  ls $vmbus/devices/"$1"/net
}

# has_address INTERFACE ADDRESS
has_address() {
  [[ $(ip -o address show dev "$1") == *" $2/"* ]]
}

# rename FROM TO: an interface must be down to be renamed before Linux 6.2.
rename() {
  ip link set "$1" down
  ip link set "$1" name "$2"
  ip link set "$2" up
}

# Gives eth0 and eth1 the names and settings that they had before this scenario.
reset_names() {
  [ "$(name_on $channel0)" != eth0 ] || [ "$(name_on $channel1)" != eth1 ] || return 0
  rename "$(name_on $channel0)" old0
  rename "$(name_on $channel1)" old1
  rename old0 eth0
  rename old1 eth1
}

# udev renames the VF whenever it can, while prepare and restore run.
rename_vf() {
  touch /run/azure/renaming
  while [ -e /run/azure/renaming ]; do
    random_delay
    sleep $delay
    ip link set $vf name vf1 2>/dev/null || ip link set vf1 name $vf 2>/dev/null || true
  done &
  local renaming=$!
  run 0 prepare eth1 --hugepages none
  random_delay
  sleep $delay
  run 0 restore eth1
  # Killing the loop could leave a last command running.
  rm /run/azure/renaming
  wait $renaming
  [ ! -e /sys/class/net/vf1 ] || rename vf1 $vf
}

# An administrator renames both interfaces of a NIC that is prepared with --vf-only.
rename_both() {
  run 0 prepare eth1 --hugepages none --vf-only
  ip link set eth1 name lan1
  ip link set $vf name vf1
  run 0 restore eth1
  grep -q "'eth1' is now named 'lan1'" /run/azure/out || fail "restore does not report the name lan1"
  is_up lan1 && is_up vf1 || fail "lan1 or vf1 is down"
  has_address lan1 10.9.0.5 || fail "lan1 has no address"
  rename vf1 $vf
  rename lan1 eth1
}

# An administrator swaps the names of eth0 and eth1, which is prepared with --vf-only: its interface exists, but is down.
swap_names() {
  local address
  ip address add 10.8.0.5/24 dev eth0
  run 0 prepare eth1 --hugepages none --vf-only
  ! is_up eth1 || fail "the prepared NIC is up"
  ip link set eth0 down
  ip link set eth0 name old0
  ip link set eth1 name eth0
  rename old0 eth1
  run 0 restore eth1
  grep -q "'eth1' is now named 'eth0'" /run/azure/out || fail "restore does not report the name eth0"
  is_up eth0 || fail "the restored NIC is down"
  # Unlike IPv4 addresses, IPv6 addresses and routes do not survive that an interface is down.
  for address in 10.9.0.5 fd00:9::5; do
    has_address eth0 $address || fail "the restored NIC does not have the address $address"
  done
  [[ $(ip route show 10.77.0.0/16) == *"dev eth0 "* ]] || fail "the route does not lead to the restored NIC"
  ! has_address eth0 10.8.0.5 || fail "the restored NIC has the address of the other NIC"
  has_address eth1 10.8.0.5 || fail "the other NIC has no address"
  for address in 10.9.0.5 fd00:9::5; do
    ! has_address eth1 $address || fail "the other NIC has the address $address"
  done
  reset_names
  ip address del 10.8.0.5/24 dev eth0
}

# The host offers eth1 again while eth0 is prepared or is being restored, and the kernel names it eth0.
take_name() {
  ip address add 10.8.0.5/24 dev eth0
  run 0 prepare eth0 --hugepages none --force-interface eth0
  echo 1 >$knobs/rescind
  [ ! -e $vmbus/devices/$channel1 ] || fail "channel $channel1 is still there"
  random_delay
  (sleep $delay
    echo 1 >$knobs/offer) &
  local offering=$! rc=0
  random_delay
  [ $((RANDOM % 2)) -eq 0 ] || wait $offering
  sleep $delay
  manactl restore eth0 >/run/azure/out 2>&1 || rc=$?
  wait $offering
  wait_for test -e $vmbus/devices/$channel1/net
  local own other
  own=$(name_on $channel0)
  other=$(name_on $channel1)
  # 7: another interface had the name eth0 when restore gave it back.
  case $rc in
    0) expect "name of the restored NIC" eth0 "$own" ;;
    7) grep -q "another interface has the name 'eth0' now" /run/azure/out || { cat /run/azure/out; fail "round $round: exit 7"; } ;;
    *) cat /run/azure/out; fail "round $round: restore eth0 exited with $rc" ;;
  esac
  has_address "$own" 10.8.0.5 || fail "round $round: $own, which is the restored NIC, has no address"
  is_up "$own" || fail "round $round: $own is down"
  ! has_address "$other" 10.8.0.5 || fail "round $round: $other, which is another NIC, has the address"
  took=$((took + (rc == 7)))
  [ $rc -eq 0 ] || { rename "$other" old1; rename "$own" eth0; run 0 restore eth0; }
  reset_names
  ip address del 10.8.0.5/24 dev eth0
}

took=0
kinds=(rename_vf rename_both swap_names take_name)
for ((round = 1; round <= rounds; round++)); do
  kind=${kinds[round % ${#kinds[@]}]}
  $kind
  for name in eth0 eth1; do ip link set $name up; done
  configure_eth1
  wait_for eval 'name_vfs; vfs_joined'
  is_restored
  echo "ok: round $round: $kind"
done
echo "# in $took rounds, the name was taken when restore ended"
