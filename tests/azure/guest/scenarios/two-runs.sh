# SPDX-License-Identifier: MIT
#
# One run at a time: who comes while another is at work goes away with status 5 and changes nothing;
# who only looks is not kept waiting.

# busy ARGUMENT...: turned away, with the name of who is at work.
busy() {
  rc=0
  manactl "$@" >/run/azure/out 2>/run/azure/err || rc=$?
  expect "$*" 5 $rc
  grep -q "process $held: manactl $at_work.* is at work" /run/azure/err ||
    { cat /run/azure/err; fail "who is at work is not said"; }
}

for order in "eth1 eth0" "eth0 eth1"; do
  read -r first second <<<"$order"
  at_work="prepare $first"
  echo "# $at_work is at work"
  hold 6 manactl prepare "$first" --hugepages 16
  busy prepare "$second" --hugepages 8
  busy prepare "$first" --hugepages 8
  busy restore "$first"
  manactl status >/run/azure/out || fail "status ended with $?"
  let_go
  expect "the run that was first" 0 $rc
  expect "hugepages" 16 "$(cat /proc/sys/vm/nr_hugepages)"

  at_work="restore $first"
  echo "# $at_work is at work"
  hold 2 manactl restore "$first"
  busy prepare "$second"
  busy restore --all
  let_go
  expect "the run that was first" 0 $rc
  is_restored
done

echo "# six at once"
runs=()
for number in 1 2 3 4 5 6; do
  manactl prepare eth1 --hugepages 16 >/run/azure/out.$number 2>&1 &
  runs+=($!)
done
turned_away=0
for run in "${runs[@]}"; do
  rc=0
  wait "$run" || rc=$?
  [[ $rc -eq 0 || $rc -eq 5 ]] || { cat /run/azure/out.*; fail "a run ended with $rc"; }
  [ $rc -eq 0 ] || turned_away=$((turned_away + 1))
done
# Who came after the first had ended found eth1 prepared, and that is status 0, too.
expect "runs that prepared" 1 "$(cat /run/azure/out.* | grep -c '^eth1 is prepared$')"
echo "$turned_away were turned away"
expect "hugepages" 16 "$(cat /proc/sys/vm/nr_hugepages)"
manactl restore eth1
is_restored
