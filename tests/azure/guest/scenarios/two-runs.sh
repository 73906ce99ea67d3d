# SPDX-License-Identifier: MIT
#
# Only one run at a time: a second run exits with 5 and changes nothing. status works meanwhile.

# expect_busy ARGUMENT...: fails unless manactl exits with 5 and reports which run holds the lock.
expect_busy() {
  rc=0
  manactl "$@" >/run/azure/out 2>/run/azure/err || rc=$?
  expect "$*" 5 $rc
  grep -q "process $stopped (manactl $running, .* holds the lock" /run/azure/err ||
    { cat /run/azure/err; fail "the holder of the lock is not named"; }
}

for order in "eth1 eth0" "eth0 eth1"; do
  read -r first second <<<"$order"
  running="prepare $first"
  echo "# during $running"
  stop_at_write 6 manactl prepare "$first" --hugepages 16
  expect_busy prepare "$second" --hugepages 8
  expect_busy prepare "$first" --hugepages 8
  expect_busy restore "$first"
  manactl status >/run/azure/out || fail "status exited with $?"
  resume
  expect "status of the first run" 0 $rc
  expect "hugepages" 16 "$(cat /proc/sys/vm/nr_hugepages)"

  running="restore $first"
  echo "# during $running"
  stop_at_write 2 manactl restore "$first"
  expect_busy prepare "$second"
  expect_busy restore --all
  resume
  expect "status of the first run" 0 $rc
  is_restored
done

echo "# six at once"
runs=()
for number in 1 2 3 4 5 6; do
  manactl prepare eth1 --hugepages 16 >/run/azure/out.$number 2>&1 &
  runs+=($!)
done
rejected=0
for run in "${runs[@]}"; do
  rc=0
  wait "$run" || rc=$?
  [[ $rc -eq 0 || $rc -eq 5 ]] || { cat /run/azure/out.*; fail "a run exited with $rc"; }
  [ $rc -eq 0 ] || rejected=$((rejected + 1))
done
# A run that starts after the end of the first one finds eth1 prepared and also exits with 0.
expect "runs that prepared" 1 "$(cat /run/azure/out.* | grep -c '^eth1 is prepared$')"
echo "$rejected were rejected"
expect "hugepages" 16 "$(cat /proc/sys/vm/nr_hugepages)"
manactl restore eth1
is_restored
