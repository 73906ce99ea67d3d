# SPDX-License-Identifier: MIT
#
# Kills restore with SIGKILL before every third of its writes. Most of them are settings of eth1 and journal
# records. Each next restore must restore the rest.

for ((number = 1; number <= 100; number += 3)); do
  manactl prepare eth1 --hugepages 16 >/run/azure/out || fail "prepare exited with $?"
  rc=0
  at_write $number:kill manactl restore eth1 >/run/azure/out 2>&1 || rc=$?
  [ $rc -ne 0 ] || break
  expect "status" 137 $rc
  echo "# kill: $(head -1 /run/azure/write)"
  manactl restore eth1
  is_restored
done 2> >(grep -v Killed)
is_restored
((number > 18 && number <= 100)) || fail "restore made $((number - 1)) writes"
