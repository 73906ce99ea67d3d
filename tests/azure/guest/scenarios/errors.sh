# SPDX-License-Identifier: MIT
#
# An error at every write of a run, one after the other: of the journal and of the kernel's files.
# The run takes everything back by itself and says why.

modprobe uio_hv_generic
for ((number = 1; number <= 60; number++)); do
  rc=0
  at_write $number:enospc manactl prepare eth1 --hugepages 16 >/run/azure/out 2>&1 || rc=$?
  write=$(head -1 /run/azure/write 2>/dev/null) || true
  if [[ $rc -eq 0 || $write == *' to 1: '* ]]; then
    echo "# $number: the run came to its end"
    manactl restore eth1
    is_restored
    break
  fi
  expect "status" 6 $rc
  echo "# refused $write"
  head -1 /run/azure/out
  [[ $(cat /run/azure/out) == *"No space left on device"*$'\n'"Everything is as it was." ]] ||
    { cat /run/azure/out; fail "the reason or the end is not said"; }
  is_restored
done
((number > 15 && number <= 60)) || fail "the run ended after $number writes"
