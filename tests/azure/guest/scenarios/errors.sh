# SPDX-License-Identifier: MIT
#
# An error at every write of a run, one after the other: of the journal and of the kernel's files.
# The run takes everything back by itself and says why.

. /guest/every-write.sh

says_why() {
  head -1 /run/azure/out
  [[ $(cat /run/azure/out) == *"No space left on device"*$'\n'"Everything is as it was." ]] ||
    { cat /run/azure/out; fail "the reason or the end is not said"; }
}

modprobe uio_hv_generic
at_every_write enospc 6 says_why
