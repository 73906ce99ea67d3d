# SPDX-License-Identifier: MIT
#
# manactl starts in the guest, finds the NICs, and check exits as documented.

manactl --version
rc=0
manactl check eth1 || rc=$?
[[ $rc =~ ^[013]$ ]] || fail "manactl check exited with $rc"
