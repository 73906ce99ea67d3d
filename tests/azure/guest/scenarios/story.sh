# SPDX-License-Identifier: MIT
#
# The whole story for people: a NIC is looked at, prepared, asked about and given back.

# tell 'CODES' ARGUMENT...: other exit codes than 0 and CODES end the story.
tell() {
  local fine=" 0 $1 " rc=0
  shift
  echo
  echo "$ manactl $*"
  manactl "$@" || rc=$?
  [[ $fine == *" $rc "* ]] || fail "it ended with $rc"
}

tell 1 check eth1
tell '' prepare eth1 --hugepages 64
tell '' status
tell '' args eth1 --for testpmd
tell '' check
tell '' restore eth1
tell 1 check eth1
