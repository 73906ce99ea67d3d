# SPDX-License-Identifier: MIT
#
# A state directory that is full at once, that is full after some steps, and that is read-only: each
# time everything is taken back.

journal=/var/lib/manactl
mkdir -p $journal

# refused REASON: prepare ends with 6 and this reason.
refused() {
  local rc=0
  manactl prepare eth1 --hugepages 16 >/run/azure/out 2>&1 || rc=$?
  cat /run/azure/out
  expect "status" 6 $rc
  grep -q "$1" /run/azure/out || fail "the reason '$1' is not given"
  # Nothing is left of the run that restore would have to look at.
  find $journal -type f | grep -v filler && fail "a file is left"
  is_restored
}

mount -t tmpfs -o size=64k,mode=700 tmpfs $journal
dd if=/dev/zero of=$journal/filler bs=4k >/dev/null 2>&1 || true
refused "No space left on device"

# One page is enough to open the journal, and too little for all its records.
dd if=/dev/zero of=$journal/filler bs=4k count=15 >/dev/null 2>&1
refused "No space left on device"

rm $journal/filler
mount -o remount,ro $journal
refused "Read-only file system"
umount $journal
