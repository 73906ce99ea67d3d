# SPDX-License-Identifier: MIT
#
# kill -9 before every write of a run: each journal record and each change through sysfs is one. Then
# restore has to bring everything back.

. /guest/every-write.sh

at_every_write kill 137 manactl restore eth1 2> >(grep -v Killed)
