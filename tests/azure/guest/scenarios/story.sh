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
run '' prepare eth1
run '' status
run '' args eth1 --for testpmd
run '' check
run '' restore eth1
run 1 check eth1
