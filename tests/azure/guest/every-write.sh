# SPDX-License-Identifier: MIT
#
# One run of prepare for every write that it makes, each of which meets something at that write.

# at_every_write ACTION STATUS COMMAND...: a run that ends with STATUS is looked at by the command; then
# all has to be as it was. Ends when a run has no write left that could meet the action.
at_every_write() {
  local action=$1 wanted=$2 number write rc
  shift 2
  for ((number = 1; number <= 60; number++)); do
    rc=0
    at_write $number:"$action" manactl prepare eth1 --hugepages 16 >/run/azure/out 2>&1 || rc=$?
    write=$(head -1 /run/azure/write 2>/dev/null) || true
    if [[ $rc -eq 0 || $write == *' to 1: '* ]]; then
      echo "# $number: the run came to its end"
      manactl restore eth1
      is_restored
      break
    fi
    expect "status" "$wanted" $rc
    echo "# $action: $write"
    "$@"
    is_restored
  done
  ((number > 15 && number <= 60)) || fail "the run ended after $number writes"
}
