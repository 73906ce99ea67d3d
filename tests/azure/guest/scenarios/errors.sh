# SPDX-License-Identifier: MIT
#
# Makes each write of a run fail once, whether to the journal or to a file of the kernel. Each time the
# run must roll back and print the reason.

. /guest/every-write.sh

expect_reason() {
  head -1 /run/azure/out
  [[ $(cat /run/azure/out) == *"No space left on device"*$'\n'"Everything was rolled back." ]] ||
    { cat /run/azure/out; fail "the reason or the outcome is missing"; }
}

modprobe uio_hv_generic
at_every_write enospc 6 expect_reason
