# SPDX-License-Identifier: MIT
#
# A run that receives a signal rolls back.

# The signals arrive before, during and after a change.
for signal in int:130:4 term:143:11 hup:129:15; do
  IFS=: read -r name status when <<<"$signal"
  rc=0
  at_write "$when:$name" manactl prepare eth1 --hugepages 16 >/run/azure/out 2>&1 || rc=$?
  echo "# $name at write $when"
  cat /run/azure/out
  expect "status after $name" "$status" $rc
  is_restored
done
