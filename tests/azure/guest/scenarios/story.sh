# SPDX-License-Identifier: MIT
#
# A demonstration: checks a NIC, prepares it, prints its status and arguments, and restores it.

# run 'CODES' ARGUMENT...: runs manactl; fails if the exit code is neither 0 nor in CODES.
run() {
  local accepted=" 0 $1 " rc=0
  shift
  echo
  echo "$ manactl $*"
  manactl "$@" || rc=$?
  [[ $accepted == *" $rc "* ]] || fail "it exited with $rc"
}

run 1 check eth1
manactl wait eth1 --for prepared --timeout 1h >/run/azure/wait &
waiting=$!
run '' prepare eth1
wait $waiting || fail "wait exited with $?"
expect "wait --for prepared" "eth1: prepared" "$(cat /run/azure/wait)"
run '' wait --for prepared --timeout 1ms
run '' status
run '' args eth1 --for testpmd
run '' check
run '' restore eth1
run 1 wait eth1 --for prepared --timeout 1ms
run 1 check eth1
