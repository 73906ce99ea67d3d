# SPDX-License-Identifier: MIT
#
# A process has the uio device open, as DPDK does: restore takes nothing away from under it.

manactl prepare eth1 --hugepages 16 >/run/azure/out
sleep 100 </dev/uio0 &
holder=$!
rc=0
manactl restore eth1 2>/run/azure/err || rc=$?
cat /run/azure/err
expect "status" 5 $rc
grep -q "in use by process $holder (sleep)" /run/azure/err || fail "who uses it is not said"
manactl status | grep -q "in use by process $holder (sleep)" || fail "status does not tell"
expect "driver" uio_hv_generic "$(driver_of $vmbus/devices/*3bd1000d3a76)"
kill $holder
wait $holder || true
manactl restore eth1
is_restored
