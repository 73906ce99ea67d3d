# SPDX-License-Identifier: MIT
#
# The process of the device dies from SIGKILL while a program uses it: run-guest --kill-device MS kills it MS
# milliseconds after the line "# kill the device". The program must end after SIGTERM. When the host has removed the
# function, restore must restore everything except the VFs. Only hugepages may remain, if Linux has warned in
# uverbs_destroy_ufile_hw() that it could not release the objects of the program: it keeps their memory until the
# next boot. azure.seed=N selects the program. It must be the last
# scenario of a boot, because the device does not return. It takes more than a minute, because mana waits that long for
# the device when the function is removed.

. /guest/victims.sh
mount -t hugetlbfs hugetlbfs /dev/hugepages

device_is_dead() {
  ! (exec 3<>/dev/ttyS2 && stty raw -echo <&3 && echo statistics >&3 && read -r -t 2 <&3)
}

kernel_keeps_pages() {
  grep -q "WARNING: .*uverbs_destroy_ufile_hw" <<<"$(dmesg)"
}

# remaining: copies the state, without what vanishes with the function or remains because of the kernel.
remaining() {
  local pages=^$
  if kernel_keeps_pages; then pages=/nr_hugepages; fi
  grep -v -e enP30832p0s0 -e 7870: -e "^mana_" -e "$pages"
}

# If one packet of eth0 is lost with the device, mana waits for it for two minutes, and a minute for a reset.
for name in eth0 enP30832p0s0; do ip link set $name down; done
victim=${victims[$(parameter seed 1) % ${#victims[@]}]}
start "$victim"
echo "# kill the device"
wait_for device_is_dead || fail "the device lives"
sleep 1
rc=0
kill -TERM $pid 2>/dev/null || true
# The kernel may hold a program for two minutes, while mana waits for the completions of packets that eth1 has sent.
wait_limit=300 wait_for none_runs || { ps; fail "$victim does not end"; }
wait $pid 2>/dev/null || rc=$?
echo "# $victim ended with status $rc"
tail -n 2 /run/azure/victim | sed 's/^/# /'
set_present 0
[ ! -e /sys/bus/pci/devices/$function ] || fail "the function is still there"

ip link set eth0 up
rm -f /dev/hugepages/rtemap_*
umount /dev/hugepages
rc=0
manactl restore --all >/run/azure/out 2>&1 || rc=$?
cat /run/azure/out
if [ $rc -eq 7 ] && kernel_keeps_pages; then
  expect "what is not restored" 1 "$(grep -c FAILED /run/azure/out)"
  grep -q "FAILED  *reserve .* more pages" /run/azure/out || fail "something else is not restored"
  echo "# Linux keeps $(cat /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages) hugepages of the program"
else
  expect "status of restore" 0 $rc
fi
remaining </run/azure/state >/run/azure/state.wanted
wait_for eval 'diff /run/azure/state.wanted <(state | remaining)' ||
  { diff -U0 /run/azure/state.wanted <(state | remaining) || true; fail "not restored (-: before, +: now)"; }
echo "ok: restored without the VFs"
settled_state >/run/azure/state
