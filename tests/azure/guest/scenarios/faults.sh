# SPDX-License-Identifier: MIT
#
# Errors and signals in the middle of a run: it takes everything back.

# prepare_with N:ACTION: status in rc.
prepare_with() {
  rc=0
  at_write "$1" manactl prepare eth1 --hugepages 16 >/run/azure/out 2>&1 || rc=$?
  echo "# $1"
  cat /run/azure/out
}

for when in 2 8 15; do
  prepare_with $when:enospc
  expect "status" 6 $rc
  is_restored
done
# A write is before, at or after a change.
for signal in int:130:4 term:143:11 hup:129:15; do
  IFS=: read -r name status when <<<"$signal"
  prepare_with "$when:$name"
  expect "status after $name" "$status" $rc
  is_restored
done
