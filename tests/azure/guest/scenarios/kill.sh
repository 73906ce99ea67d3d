# SPDX-License-Identifier: MIT
#
# kill -9 before every write of a run: each journal record and each change through sysfs is one. Then
# restore has to bring everything back.

for ((number = 1; number <= 60; number++)); do
  rc=0
  at_write $number:kill manactl prepare eth1 --hugepages 16 >/run/azure/out 2>&1 || rc=$?
  write=$(head -1 /run/azure/write 2>/dev/null) || true
  if [[ $rc -eq 0 || $write == *' to 1: '* ]]; then
    echo "# $number: the run came to its end"
    manactl restore eth1
    is_restored
    break
  fi
  expect "status" 137 $rc
  echo "# killed before $write"
  manactl restore eth1
  is_restored
done 2> >(grep -v Killed)
((number > 15 && number <= 60)) || fail "the run ended after $number writes"
