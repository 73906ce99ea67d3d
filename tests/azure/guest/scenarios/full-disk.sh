# SPDX-License-Identifier: MIT
#
# Runs prepare while the state directory is full, becomes full after some steps, or is read-only. Each run
# must roll back.

journal=/var/lib/manactl
mkdir -p $journal

# expect_roll_back REASON: prepare exits with 6 and prints REASON.
expect_roll_back() {
  local rc=0
  manactl prepare eth1 --hugepages 16 >/run/azure/out 2>&1 || rc=$?
  cat /run/azure/out
  expect "status" 6 $rc
  grep -q "$1" /run/azure/out || fail "the reason '$1' is missing"
  # The run leaves no journal entry.
  find $journal -type f | grep -v filler && fail "a file is left"
  is_restored
}

mount -t tmpfs -o size=64k,mode=700 tmpfs $journal
dd if=/dev/zero of=$journal/filler bs=4k >/dev/null 2>&1 || true
expect_roll_back "No space left on device"

# One page is enough to open the journal but not for all records.
dd if=/dev/zero of=$journal/filler bs=4k count=15 >/dev/null 2>&1
expect_roll_back "No space left on device"

rm $journal/filler
mount -o remount,ro $journal
expect_roll_back "Read-only file system"
umount $journal
