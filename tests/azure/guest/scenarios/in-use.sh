# SPDX-License-Identifier: MIT
#
# prepare names programs whose sockets are bound to the interface. While a process has the uio device open, as
# DPDK does, restore refuses to unbind the NIC.

modprobe raw_diag
busybox arping -I eth1 10.9.0.99 >/dev/null &
packet=$!
busybox ping -I eth1 10.9.0.99 >/dev/null &
raw=$!
for program in $packet $raw; do
  wait_for eval 'manactl prepare eth1 --dry-run 2>&1 | grep "then restart: .*process '$program' (busybox)"'
done
kill $packet $raw
wait $packet $raw || true

manactl prepare eth1 --hugepages 16 >/run/azure/out
sleep 1000 </dev/uio0 &
holder=$!
wait_for grep -qx sleep /proc/$holder/comm
rc=0
manactl restore eth1 2>/run/azure/err || rc=$?
cat /run/azure/err
expect "status" 5 $rc
grep -q "in use by process $holder (sleep)" /run/azure/err || fail "the process is not named"
grep -q "in use by process $holder (sleep)" <<<"$(manactl status)" || fail "status does not name the process"
expect "driver" uio_hv_generic "$(driver_of $vmbus/devices/*3bd1000d3a76)"
kill $holder
wait $holder || true
manactl restore eth1
is_restored
