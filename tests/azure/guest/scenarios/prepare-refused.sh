# SPDX-License-Identifier: MIT
#
# When the kernel rejects a change, the run rolls back, exits with 6 and prints the reason in one line.

knobs=/sys/module/hv_vmbus/parameters

# expect_roll_back REASON ARGUMENT...: prepare with these arguments rolls back and prints REASON.
expect_roll_back() {
  local reason=$1 rc=0
  shift
  manactl prepare "$@" >/run/azure/out 2>/run/azure/err || rc=$?
  cat /run/azure/out /run/azure/err
  expect "status" 6 $rc
  grep -q "^eth1 could not be prepared: .*$reason" /run/azure/err || fail "the reason '$reason' is missing"
  is_restored
}

echo 2 >$knobs/refuse_bind
echo uio_hv_generic >$knobs/refuse_driver
expect_roll_back "Cannot allocate memory" eth1 --hugepages 8
echo 19 >$knobs/refuse_errno
expect_roll_back "No such device" eth1 --method new-id
echo 12 >$knobs/refuse_errno
echo 0 >$knobs/refuse_bind
echo >$knobs/refuse_driver

echo 2 >$knobs/refuse_gpadl
# hv_netvsc fails as well, so the channel cannot be rebound until refuse_gpadl is cleared.
rc=0
manactl prepare eth1 2>/run/azure/err || rc=$?
cat /run/azure/err
expect "status" 7 $rc
grep -q "^  echo 000d3a76-3bd1-.* > /sys/bus/vmbus/drivers/hv_netvsc/bind" /run/azure/err ||
  fail "the manual command is missing"
grep -qx "  manactl restore eth1" /run/azure/err || fail "the next command is missing"
rc=0
manactl prepare eth1 || rc=$?
expect "exit status of a second prepare" 5 $rc
echo 0 >$knobs/refuse_gpadl
manactl restore eth1
is_restored

# More hugepages than the memory of 1536 MB allows are refused before any change.
for pages in "700" "1000000000" "1 --hugepage-size 1G"; do
  rc=0
  manactl prepare eth1 --hugepages $pages 2>/run/azure/err || rc=$?
  cat /run/azure/err
  expect "exit status of --hugepages $pages" 3 $rc
  case $pages in *1G) possible="cannot reserve any" ;; *) possible="more than [0-9]* would leave" ;; esac
  grep -q "$possible" /run/azure/err || fail "the possible maximum is missing"
  is_restored
done

file=$(modinfo -F filename uio_hv_generic)
rmmod uio_hv_generic
mv "$file" /run/azure/
expect_roll_back "uio_hv_generic" eth1 --hugepages 8
mv "/run/azure/${file##*/}" "$file"
