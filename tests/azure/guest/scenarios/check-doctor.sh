# SPDX-License-Identifier: MIT
#
# What check and doctor say of this machine when it is well, and of each thing that goes wrong.

# says WHAT STATUS LINE [ARGUMENT...]: doctor ends with STATUS, and LINE is what it finds first.
says() {
  local what=$1 wanted=$2 line=$3 rc=0
  shift 3
  echo "# $what"
  manactl doctor "$@" >/run/azure/out 2>&1 || rc=$?
  [[ $rc = "$wanted" && $(head -1 /run/azure/out) == $line ]] ||
    { cat /run/azure/out; fail "doctor ended with $rc, or said something else first: $line"; }
  sed -n -e 1p -e '/^  Check/p' -e '/^  Cause/p' -e '/^  kernel log/p' /run/azure/out
}

with_driver_id() {
  rmmod mana_ib
  modprobe mana_ib driver_id="$1"
  wait_for 5 test -e /dev/infiniband/uverbs0
}

faults() {
  echo "$1" >/run/azure/faults.new
  mv /run/azure/faults.new /run/azure/faults
}

manactl prepare --hugepages 64 >/run/azure/out
manactl check || fail "check ended with $?"
says "healthy, driver id 20" 0 "No cause found*"

# A kernel with a mana_ib of its own has the right id, and no choice.
if [ -z "$(modinfo -F intree mana_ib)" ]; then
  with_driver_id 19
  says "driver id 19: the real libibverbs chooses the real liberdma" 1 \
    "Root cause: Kernel and rdma-core do not agree on MANA's driver id"
  grep -q "kernel says 19, libibverbs chose erdma" /run/azure/out || fail "not erdma"
  with_driver_id 99
  says "driver id 99" 1 "Root cause: Kernel and rdma-core do not agree on MANA's driver id"
  grep -q "kernel says 99, libibverbs found no provider" /run/azure/out || fail "a provider"
  with_driver_id 20
fi

manactl prepare eth1 >/run/azure/out
says "prepared" 0 "No cause found*"
ip link set enP30832p0s0d1 up
says "VF up while prepared" 1 "Root cause: A NIC in user space is not ready for DPDK"
grep -q "VF enP30832p0s0d1 is up" /run/azure/out || fail "not the VF"
manactl restore eth1

rmmod mana_ib
echo $function >/sys/bus/pci/drivers/mana/unbind
says "mana unbound" 1 "Root cause: A MANA function is not bound to the mana driver"
faults "establish=refuse:5"
(echo $function >/sys/bus/pci/drivers/mana/bind) 2>/dev/null && fail "mana was bound"
says "no hardware channel, with the log of the real driver" 1 \
  "Root cause: The channel to the adapter could not be set up" --kernel-log

faults ""
echo $function >/sys/bus/pci/drivers/mana/bind
wait_for 10 eval 'ls /sys/bus/pci/devices/$function/net/*'
name_vfs
wait_for 10 vfs_joined
modprobe mana_ib
manactl restore --all
is_restored
