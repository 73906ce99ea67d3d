# SPDX-License-Identifier: MIT
#
# Errors and signals in the middle of a run: it takes everything back.

# prepare_with INJECTION: status in rc.
prepare_with() {
  rc=0
  strace -qq -o /run/azure/strace -e trace=write -e inject=write:"$1" \
    manactl prepare eth1 --hugepages 16 >/run/azure/out 2>&1 || rc=$?
  echo "# $1"
  cat /run/azure/out
}

for when in 2 8 15; do
  prepare_with error=ENOSPC:when=$when
  expect "status" 6 $rc
  is_restored
done
# A write is before, at or after a change.
for signal in INT:130:4 TERM:143:11 HUP:129:15; do
  IFS=: read -r name status when <<<"$signal"
  prepare_with signal="$name:when=$when"
  expect "status after SIG$name" "$status" $rc
  is_restored
done
