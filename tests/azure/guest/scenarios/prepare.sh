# SPDX-License-Identifier: MIT
#
# manactl prepare leads to the same state as the commands of the how-to; restore reverts it. The interrupts of the VF keep
# their CPUs meanwhile.

(. /guest/scenarios/howto.sh) >/run/azure/howto.out || { cat /run/azure/howto.out; fail "howto"; }
# The commands of the how-to remove the addresses and routes of eth1.
configure_eth1
is_restored

# interrupts: prints the CPUs of each interrupt of the VF.
interrupts() {
  local path
  for path in /proc/irq/*/mana_q*; do
    echo "${path##*/} $(<"${path%/*}/smp_affinity")"
  done | sort
}
for path in /proc/irq/*/mana_q*; do echo 1 >"${path%/*}/smp_affinity"; done
interrupts_before=$(interrupts)
echo "$interrupts_before"

manactl check eth1 || [ $? -eq 1 ]
# -v prints the time of each step.
manactl prepare eth1 --hugepages 64 -v | tee /run/azure/out
[[ $(grep -c '^  done .* ms$' /run/azure/out) -ge 6 ]] || fail "the times are missing"
settled_state >/run/azure/state.prepared
# The how-to binds with the class id, manactl with driver_override. The rest must be the same.
links_and_pages() {
  sed -e '/^# ids and overrides/,/^# hugepages/d' "$1"
}
diff -U0 <(links_and_pages /run/azure/state.howto) <(links_and_pages /run/azure/state.prepared) ||
  fail "the state differs (-: how-to, +: manactl)"
expect "ids" "" "$(cat /sys/module/hv_vmbus/parameters/ids)"
expect "override" uio_hv_generic "$(cat $vmbus/devices/*3bd1000d3a76/driver_override)"
expect "uio" uio_hv_generic "$(cat /sys/class/uio/uio0/name)"
# Ignore the numbers of the shared buffers, which increase with each binding.
expect "maps" "$(grep '^map[0-9]' /run/azure/howto.out | sed 's/:[0-9]*//')" \
  "$(uio_maps | sed 's/:[0-9]*//')"

manactl status
for form in testpmd eal ovs suricata vpp spdk env json; do
  echo "# args --for $form"
  manactl args eth1 --for $form
done
[[ $(manactl args eth1 --for eal) == *"7870:00:00.0,mac=00:0d:3a:76:3b:d1"* ]] || fail "args"
manactl check || [ $? -eq 1 ]

manactl prepare eth1 --hugepages 64
expect "HugePages_Total" 64 "$(awk '/HugePages_Total/ { print $2 }' /proc/meminfo)"
start=${EPOCHREALTIME/./}
manactl restore eth1 -v
echo "restored in $(((${EPOCHREALTIME/./} - start) / 1000)) ms"
is_restored
manactl restore eth1
is_restored
expect "interrupts" "$interrupts_before" "$(interrupts)"
