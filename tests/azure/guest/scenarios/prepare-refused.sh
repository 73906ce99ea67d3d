# SPDX-License-Identifier: MIT
#
# What the kernel refuses ends a run with everything as before, status 6 and the reason in one line.

knobs=/sys/module/hv_vmbus/parameters

# refused REASON ARGUMENT...
refused() {
  local reason=$1 rc=0
  shift
  manactl prepare "$@" >/run/azure/out 2>/run/azure/err || rc=$?
  cat /run/azure/out /run/azure/err
  expect "status" 6 $rc
  grep -q "^eth1 could not be prepared: .*$reason" /run/azure/err || fail "the reason '$reason' is not given"
  is_restored
}

echo 2 >$knobs/refuse_bind
echo uio_hv_generic >$knobs/refuse_driver
refused "Cannot allocate memory" eth1 --hugepages 8
echo 19 >$knobs/refuse_errno
refused "No such device" eth1 --method new-id
echo 12 >$knobs/refuse_errno
echo 0 >$knobs/refuse_bind
echo >$knobs/refuse_driver

echo 2 >$knobs/refuse_gpadl
# hv_netvsc is refused, too, so the card cannot go back until the bus gives in.
rc=0
manactl prepare eth1 2>/run/azure/err || rc=$?
cat /run/azure/err
expect "status" 7 $rc
grep -q "^  echo 000d3a76-3bd1-.* > /sys/bus/vmbus/drivers/hv_netvsc/bind" /run/azure/err ||
  fail "no command to type"
grep -qx "  manactl restore eth1" /run/azure/err || fail "what to do next is not said"
rc=0
manactl prepare eth1 || rc=$?
expect "status of another run" 5 $rc
echo 0 >$knobs/refuse_gpadl
manactl restore eth1
is_restored

refused "granted [0-9]* of 700 hugepages" eth1 --hugepages 700
refused "granted 0 of 1 hugepages" eth1 --hugepages 1 --hugepage-size 1G

file=$(modinfo -F filename uio_hv_generic)
rmmod uio_hv_generic
mv "$file" /run/azure/
refused "uio_hv_generic" eth1 --hugepages 8
mv "/run/azure/${file##*/}" "$file"
