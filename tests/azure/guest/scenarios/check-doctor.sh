# SPDX-License-Identifier: MIT
#
# Checks the output of check and doctor on the healthy machine and for each fault.

# expect_cause WHAT STATUS LINE [ARGUMENT...]: doctor exits with STATUS, and a line of its output starts with LINE.
expect_cause() {
  local what=$1 expected=$2 line=$3 rc=0
  shift 3
  echo "# $what"
  manactl doctor "$@" >/run/azure/out 2>&1 || rc=$?
  [ $rc = "$expected" ] && grep -q "^$line" /run/azure/out ||
    { cat /run/azure/out; fail "doctor exited with $rc, or no line starts with: $line"; }
  sed -n -e 1p -e '/^  Check/p' -e '/^  Cause/p' -e '/^  kernel log/p' /run/azure/out
}

with_driver_id() {
  rmmod mana_ib
  modprobe mana_ib driver_id="$1"
  wait_for test -e /dev/infiniband/uverbs0
}

manactl prepare --hugepages 64 >/run/azure/out
manactl check || fail "check exited with $?"
expect_cause "healthy, driver id 20" 0 "No cause found"

# The in-tree mana_ib of a newer kernel has no parameter for the driver id.
if [ -z "$(modinfo -F intree mana_ib)" ]; then
  with_driver_id 19
  expect_cause "driver id 19: the real libibverbs chooses the real liberdma" 1 \
    "Root cause: The kernel and rdma-core disagree on MANA's driver id"
  grep -q "kernel reports 19, libibverbs chose erdma" /run/azure/out || fail "libibverbs did not choose erdma"
  with_driver_id 99
  expect_cause "driver id 99" 1 "Root cause: The kernel and rdma-core disagree on MANA's driver id"
  grep -q "kernel reports 99, libibverbs found no provider" /run/azure/out || fail "libibverbs found a provider"
  with_driver_id 20
fi

manactl prepare eth1 >/run/azure/out
expect_cause "prepared" 0 "No cause found"
ip link set enP30832p0s0d1 up
expect_cause "VF up while prepared" 1 "Root cause: A NIC in user space is not ready for DPDK"
grep -q "VF enP30832p0s0d1 is up" /run/azure/out || fail "the VF is not named"
manactl restore eth1

rmmod mana_ib
echo $function >/sys/bus/pci/drivers/mana/unbind
expect_cause "mana unbound" 1 "Root cause: A MANA function is not bound to the mana driver"
faults "establish=refuse:5"
(echo $function >/sys/bus/pci/drivers/mana/bind) 2>/dev/null && fail "mana was bound"
expect_cause "no hardware channel, with the log of the real driver" 1 \
  "Root cause: The channel to the adapter could not be set up" --kernel-log

faults
echo $function >/sys/bus/pci/drivers/mana/bind
await_vfs
modprobe mana_ib
manactl restore --all
is_restored
