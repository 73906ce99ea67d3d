# SPDX-License-Identifier: MIT
#
# The program itself in the guest: it starts, finds the cards, and its check ends as documented.

manactl --version
rc=0
manactl check eth1 || rc=$?
[[ $rc =~ ^[013]$ ]] || fail "manactl check ended with $rc"
