# SPDX-License-Identifier: MIT
#
# manactl tune changes settings of the real hv_netvsc and mana, and they come back: with restore, also after the VF was
# removed and added, and after prepare.

vf=enP30832p0s0d1

# settings: prints the settings of both interfaces.
settings() {
  local name option
  for name in eth1 $vf; do
    echo "# $name mtu $(cat /sys/class/net/$name/mtu)"
    for option in l g c k x; do ethtool -$option $name 2>/dev/null || true; done
    tc qdisc show dev $name root
  done
}

# current NAME OPTION FIELD: prints the last value of this field, which follows the maximum.
current() {
  ethtool "$2" "$1" | awk -F: -v field="$3" '$1 == field { value = $2 } END { gsub(/[ \t]/, "", value); print value }'
}

# can_change OPTION: whether the driver of the VF reports these settings.
can_change() {
  ethtool "$1" $vf >/dev/null 2>&1
}

options=(--set mtu=1400 --set tx-ring=1024 --set gro=on --set qdisc=default --set vf-channels=1)
! can_change -g || options+=(--set vf-rx-ring=2048 --set vf-tx-ring=512)

expect_tuned() {
  expect "MTU of eth1" 1400 "$(cat /sys/class/net/eth1/mtu)"
  expect "MTU of the VF" 1400 "$(cat /sys/class/net/$vf/mtu)"
  expect "tx-ring" 1024 "$(current eth1 -g TX)"
  expect "gro" on "$(current eth1 -k generic-receive-offload)"
  expect "handle of the kernel's qdisc" 0: "$(tc qdisc show dev eth1 root | awk '{ print $3 }')"
  expect "vf-channels" 1 "$(current $vf -l Combined)"
  ! can_change -g || expect "vf-rx-ring" 2048 "$(current $vf -g RX)"
}

settings >/run/azure/settings
manactl tune eth1 "${options[@]}" --dry-run -v
diff -U0 /run/azure/settings <(settings) || fail "a dry run has changed settings"
can_change -g || expect "rings of an old mana" 3 "$(manactl tune eth1 --set vf-rx-ring=2048 >/run/azure/out 2>&1; echo $?)"

echo "# restore"
manactl tune eth1 "${options[@]}" -v
expect_tuned
manactl status | grep 'eth1 .*tuned' || fail "status"
manactl tune eth1 "${options[@]}" | grep 'needs no change' || fail "it is tuned"
manactl check --only speed eth1 -v || fail "check"
manactl restore eth1 -v
diff -U0 /run/azure/settings <(settings) || fail "settings"
is_restored

echo "# the driver refuses or changes a value"
rc=0
manactl tune eth1 --set tx-ring=1024 --set vf-channels=1024 || rc=$?
expect "more channels than the driver has" 2 $rc
# hv_netvsc sets the MTU of the VF, but its own only as far as the host allows.
rc=0
manactl tune eth1 --set mtu=4000 || rc=$?
expect "an MTU that the host does not allow" 6 $rc
if can_change -g; then
  rc=0
  manactl tune eth1 --set tx-ring=1024 --set vf-rx-ring=3000 || rc=$?
  expect "mana would round up" 2 $rc
fi
diff -U0 /run/azure/settings <(settings) || fail "settings"
is_restored

echo "# servicing"
manactl tune eth1 "${options[@]}"
before=$(takeovers)
set_present 0
wait_for test ! -e /sys/class/net/$vf
return_vfs
await_vfs
wait_for takeovers_exceed "$before"
expect "MTU of the VF that returned" 1400 "$(cat /sys/class/net/$vf/mtu)"
manactl restore eth1 -v
diff -U0 /run/azure/settings <(settings) || fail "settings"
is_restored

echo "# prepare and restore"
manactl tune eth1 "${options[@]}"
manactl prepare eth1 --hugepages 16
rc=0
manactl tune eth1 --set gro=on || rc=$?
expect "a NIC in user space" 5 $rc
manactl restore eth1 -v
diff -U0 /run/azure/settings <(settings) || fail "settings"
is_restored

echo "# confirm"
manactl tune eth1 --set gro=on --confirm-timeout 300
manactl confirm eth1 | grep 'stays tuned' || fail "confirm"
expect "gro" on "$(current eth1 -k generic-receive-offload)"
manactl restore eth1
is_restored
