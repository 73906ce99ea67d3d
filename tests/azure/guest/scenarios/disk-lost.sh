# SPDX-License-Identifier: MIT
#
# The disk with the journal vanishes between two steps, so that every access fails with EIO. prepare rolls back all the same. It
# is the last scenario of its boot, because /etc is on that disk too.

stop_at_write 9 manactl prepare eth1 --hugepages 16
echo 1 >/sys/block/vda/device/../remove
resume
cat /run/azure/stopped
# 7: the journal entry cannot be removed.
expect "status" 7 $rc
grep -q "cannot write the journal: .*Input/output error" /run/azure/stopped || fail "the cause is not reported"
grep -q "close the journal entry" /run/azure/stopped || fail "the remaining journal entry is not reported"
is_restored
