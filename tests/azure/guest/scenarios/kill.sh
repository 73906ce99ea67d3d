# SPDX-License-Identifier: MIT
#
# Kills prepare with SIGKILL before its first write, then another one before its second, and so on. Each
# journal record and each sysfs change is one write. After each kill, restore must restore the state.

. /guest/every-write.sh

at_every_write kill 137 manactl restore eth1 2> >(grep -v Killed)
