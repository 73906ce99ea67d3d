# SPDX-License-Identifier: MIT
#
# The number that the kernel gives an RDMA device decides which provider libibverbs loads: MANA's own
# for 20, the wrong one for 19 (what back-ports to old kernels said), none for a number unknown. With
# 19 all seems well until a program asks for a parent domain, as DPDK does.

modprobe ib_uverbs

with_id() {
  modprobe mana_ib driver_id="$1"
  wait_for 5 test -e /dev/infiniband/uverbs0
  echo "# driver_id $1"
  rdma dev
  rdma link
  ibv_devices
  rc=0
  info=$(ibv_devinfo 2>&1) || rc=$?
  echo "$info"
}

# answers STATUS LINE...: what a program meets when it uses the first device.
answers() {
  local wanted=$1
  shift
  rc=0
  manactl-azure-verbs >/run/azure/out || rc=$?
  cat /run/azure/out
  expect "status" "$wanted" $rc
  diff <(printf '%s\n' "$@") /run/azure/out || fail "it met something else (<: expected)"
}

with_id 20
expect "ibv_devinfo" 0 $rc
[[ $info == *mana_0* && $info == *phys_port_cnt:*2* ]] || fail "no mana_0 with two ports"
[[ $info != *fw_ver* ]] || fail "not opened by libmana, which prints no firmware version"
answers 0 "devices: 1" "open_device: ok" "provider: libmana-rdmav34.so" "alloc_pd: ok" \
  "alloc_parent_domain: ok" "dealloc_pd: ok"
# As far as our mana_ib goes: it makes no queues. What a probe left open would keep the module.
probes eth1 1 "Probe of eth1: mana_0 at $function, port 2 " "ok parent domain with the port" \
  "failed completion queue (create_cq: EOPNOTSUPP)" "mana_ib of this kernel does not do that" \
  "not tried RSS QP" "ok give it all back"
ip route add default dev eth0
probes eth0 1 "port 1 " "not tried raw-packet QP to send it carries the default route"
ip route del default dev eth0
for library in libibverbs.so.1 libmana.so.1; do
  path=$(ls /usr/lib/*/$library)
  mv "$path" "$path.away"
  probes eth1 3 "failed load libibverbs and libmana" "$library" "install rdma-core 44"
  mv "$path.away" "$path"
done
rmmod mana_ib

with_id 19
expect "ibv_devinfo" 0 $rc
# All that can be seen of the wrong provider: it prints a firmware version.
[[ $info == *mana_0* && $info == *fw_ver:*0.0.0* ]] || fail "not opened by liberdma"
answers 1 "devices: 1" "open_device: ok" "provider: liberdma-rdmav34.so" "alloc_pd: ok" \
  "alloc_parent_domain: Operation not supported" "dealloc_pd: ok"
probes eth1 1 "ok protection domain" "failed parent domain with the port (alloc_parent_domain: EOPNOTSUPP)" \
  "the library that libibverbs chose for mana_0 is not libmana" "libibverbs chose erdma"
rmmod mana_ib

with_id 99
[ $rc -ne 0 ] || fail "ibv_devinfo found a provider for 99"
expect "devices" 0 "$(ibv_devices 2>/dev/null | grep -c mana || true)"
answers 1 "devices: 0"
probes eth1 3 "ok load libibverbs and libmana" "failed find the RDMA device and port" \
  "the kernel has mana_0 at $function, for which libibverbs has no provider"
rmmod mana_ib
# Without an RDMA device at all.
probes eth1 3 "no RDMA device is at $function: is mana_ib loaded"
