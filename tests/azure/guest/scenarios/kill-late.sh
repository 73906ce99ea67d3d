# SPDX-License-Identifier: MIT
#
# The other half of the scenario kill, to the end of the run.

kill_from=12 kill_to=60
. /guest/scenarios/kill.sh
[ $number -le 60 ] || fail "no run came to its end"
