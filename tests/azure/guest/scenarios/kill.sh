# SPDX-License-Identifier: MIT
#
# kill -9 before every write of a run: each journal record and each change through sysfs is one. Then
# restore has to bring everything back. kill_from and kill_to part the work between two scenarios.

for ((number = ${kill_from:-1}; number <= ${kill_to:-11}; number++)); do
  rc=0
  strace -qq -o /run/azure/strace -e trace=write -e inject=write:signal=KILL:when=$number \
    manactl prepare eth1 --hugepages 16 >/run/azure/out 2>&1 || rc=$?
  write=$(grep '^write' /run/azure/strace | tail -1 | cut -c1-90)
  if [[ $rc -eq 0 || $write == 'write(1, '* ]]; then
    echo "# $number: the run came to its end"
    manactl restore eth1
    is_restored
    break
  fi
  expect "status" 137 $rc
  echo "# $number: killed before $write"
  manactl restore eth1
  is_restored
done 2> >(grep -v Killed)
