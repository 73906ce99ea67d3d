# SPDX-License-Identifier: MIT
#
# The four cases in the section Troubleshooting of Microsoft's how-to "MANA and DPDK on Linux", with the unmodified
# dpdk-testpmd. doctor finds each of them on the machine, and in the log.

. /guest/dpdk.sh
mount -t hugetlbfs hugetlbfs /dev/hugepages
log=/run/azure/testpmd
vf=enP30832p0s0d1

# start_testpmd TEXT ARGUMENT...: starts dpdk-testpmd and waits until its log contains TEXT. Sets $pid.
start_testpmd() {
  local text=$1
  shift
  in_background $log dpdk-testpmd -l 0-1 "$@" -- --forward-mode=txonly --auto-start --txd=128 --rxd=128 --stats-period=1
  wait_for grep -q -e "$text" $log || { cat $log; fail "testpmd did not print: $text"; }
  grep -e "$text" $log
}

# dpdk-testpmd leaves its files in hugetlbfs, and they keep their hugepages.
stop_testpmd() {
  kill -INT $pid 2>/dev/null || true
  wait $pid || true
  rm -f /dev/hugepages/*
}

# expect_cause TITLE TEXT [ARGUMENT...]: doctor with these arguments finds the root cause with this title and prints
# TEXT.
expect_cause() {
  local title=$1 text=$2 rc=0 output
  shift 2
  manactl doctor "$@" >/run/azure/out 2>&1 || rc=$?
  output=$(tr -s ' \n' ' ' </run/azure/out)
  [[ $rc = 1 && $output == "Root cause: $title "*"$text"* ]] ||
    { cat /run/azure/out; fail "doctor $* exited with $rc, or did not find '$title', '$text'"; }
  echo "ok: doctor $*: $title"
}

echo "# no hugepages"
start_testpmd "Cannot init EAL: Permission denied" --vdev="$function,mac=00:0d:3a:76:3b:d1"
stop_testpmd
expect_cause "No hugepages are free" "no hugepages are reserved on any node"
expect_cause "A NUMA node has no free hugepages" "Here confirmed: memory.hugepages" --log $log

echo "# net_vdev_netvsc"
reserve_hugepages 256
modprobe tun
mkdir -p /dev/net
[ -e /dev/net/tun ] || mknod /dev/net/tun c 10 200
start_testpmd "Port statistics" --vdev=net_vdev_netvsc0,iface=eth1
expect_cause "A DPDK program uses net_tap, probably through net_vdev_netvsc" "dtap0"
stop_testpmd
expect_cause "net_vdev_netvsc and fail-safe are in use: throughput stays low" "" --log $log
release_hugepages

echo "# the link of the VF is up"
# net_tap leaves a queueing discipline on eth1 behind.
manactl prepare eth1 --hugepages 256 2>/run/azure/err && fail "prepare ignores the queueing discipline of net_tap"
grep -q "eth1 would lose the queueing discipline 'ingress'" /run/azure/err || fail "$(cat /run/azure/err)"
manactl prepare eth1 --hugepages 256 --force-interface eth1 >/run/azure/out
ip link set $vf up
start_testpmd "failed to start tx queues -19" --vdev="$function,mac=00:0d:3a:76:3b:d1"
stop_testpmd
expect_cause "A NIC in user space is not ready for DPDK" "its VF $vf is up"
expect_cause "The MANA port is in use: its kernel interfaces are still up" "Here confirmed: interfaces.prepared" \
  --log $log
ip link set $vf down

echo "# the kernel has another driver id for MANA than rdma-core"
rmmod mana_ib
insmod /usr/lib/azure/mana_ib.ko driver_id=19
wait_for test -e /dev/infiniband/uverbs0
start_testpmd "ibv_alloc_parent_domain failed port 2" --vdev="$function,mac=00:0d:3a:76:3b:d1"
stop_testpmd
expect_cause "The kernel and rdma-core disagree on MANA's driver id" "kernel reports 19, libibverbs chose erdma"
expect_cause "libibverbs does not use MANA's provider" \
  "Here confirmed: rdma.driver-id" --log $log
rmmod mana_ib
modprobe mana_ib
wait_for test -e /dev/infiniband/uverbs0

manactl restore --all
umount /dev/hugepages
wait_for vfs_joined
