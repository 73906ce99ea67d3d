# SPDX-License-Identifier: MIT
#
# libibverbs chooses the provider by the driver id of the kernel: libmana for id 20, the wrong provider
# for id 19 (used in back-ports to old kernels), and none for an unknown id. With id 19 the first failure
# is the allocation of a parent domain, which DPDK needs.

modprobe ib_uverbs

# with_id ID: loads the mana_ib of these tests, by its path if modprobe would load the kernel's own.
with_id() {
  local ours=/usr/lib/azure/mana_ib.ko
  if [ -e $ours ]; then insmod $ours driver_id="$1"; else modprobe mana_ib driver_id="$1"; fi
  wait_for test -e /dev/infiniband/uverbs0
  echo "# driver_id $1"
  rdma dev
  rdma link
  ibv_devices
  rc=0
  info=$(ibv_devinfo 2>&1) || rc=$?
  echo "$info"
}

# expect_verbs STATUS LINE...: manactl-azure-verbs, which uses the first device, exits with STATUS and prints
# exactly the lines.
expect_verbs() {
  local expected=$1
  shift
  rc=0
  manactl-azure-verbs >/run/azure/out || rc=$?
  cat /run/azure/out
  expect "status" "$expected" $rc
  diff <(printf '%s\n' "$@") /run/azure/out || fail "unexpected output (<: expected)"
}

with_id 20
expect "ibv_devinfo" 0 $rc
[[ $info == *mana_0* && $info == *phys_port_cnt:*2* ]] || fail "no mana_0 with two ports"
[[ $info != *fw_ver* ]] || fail "ibv_devinfo prints a firmware version, so it does not use libmana"
expect_verbs 0 "devices: 1" "open_device: ok" "provider: libmana-rdmav34.so" "alloc_pd: ok" \
  "alloc_parent_domain: ok" "dealloc_pd: ok"
# The mana_ib of these tests creates no queues. rmmod below fails if a probe leaves the device open.
expect_probe eth1 1 "Probe of eth1: mana_0 at $function, port 2 " "ok parent domain with the port" \
  "failed completion queue (create_cq: EOPNOTSUPP)" "mana_ib of this kernel does not support it" \
  "not tried RSS QP" "ok release everything"
ip route add default dev eth0
expect_probe eth0 1 "port 1 " "not tried raw-packet QP to send it carries the default route"
ip route del default dev eth0
for library in libibverbs.so.1 libmana.so.1; do
  path=$(ls /usr/lib/*/$library)
  mv "$path" "$path.away"
  expect_probe eth1 3 "failed load libibverbs and libmana" "$library" "install rdma-core 44"
  mv "$path.away" "$path"
done
rmmod mana_ib

with_id 19
expect "ibv_devinfo" 0 $rc
# In the output of ibv_devinfo, the only sign of the wrong provider is a firmware version.
[[ $info == *mana_0* && $info == *fw_ver:*0.0.0* ]] || fail "not opened by liberdma"
expect_verbs 1 "devices: 1" "open_device: ok" "provider: liberdma-rdmav34.so" "alloc_pd: ok" \
  "alloc_parent_domain: Operation not supported" "dealloc_pd: ok"
expect_probe eth1 1 "ok protection domain" "failed parent domain with the port (alloc_parent_domain: EOPNOTSUPP)" \
  "the library that libibverbs chose for mana_0 is not libmana" "libibverbs chose erdma"
rmmod mana_ib

with_id 99
[ $rc -ne 0 ] || fail "ibv_devinfo found a provider for 99"
expect "devices" 0 "$(ibv_devices 2>/dev/null | grep -c mana || true)"
expect_verbs 1 "devices: 0"
expect_probe eth1 3 "ok load libibverbs and libmana" "failed find the RDMA device and port" \
  "the kernel has mana_0 at $function, for which libibverbs has no provider"
rmmod mana_ib
# Now there is no RDMA device.
expect_probe eth1 3 "no RDMA device is at $function: is mana_ib loaded"
