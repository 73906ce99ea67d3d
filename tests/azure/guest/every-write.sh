# SPDX-License-Identifier: MIT
#
# Runs prepare once for each write that it makes, with a fault at that write.

# at_every_write ACTION STATUS COMMAND...: runs prepare with ACTION at its first write, then at its
# second, and so on. Each run must exit with STATUS. After COMMAND, the state must be the one before the
# run. Ends when a run succeeds, because all its writes were tried, or when the selected write is to stdout.
at_every_write() {
  local action=$1 expected=$2 number write rc
  shift 2
  for ((number = 1; number <= 60; number++)); do
    rc=0
    at_write $number:"$action" manactl prepare eth1 --hugepages 16 >/run/azure/out 2>&1 || rc=$?
    write=$(head -1 /run/azure/write 2>/dev/null) || true
    if [[ $rc -eq 0 || $write == *' to 1: '* ]]; then
      echo "# $number: the run finished"
      manactl restore eth1
      is_restored
      break
    fi
    expect "status" "$expected" $rc
    echo "# $action: $write"
    "$@"
    is_restored
  done
  ((number > 15 && number <= 60)) || fail "expected 15 to 59 writes, found $((number - 1))"
}
