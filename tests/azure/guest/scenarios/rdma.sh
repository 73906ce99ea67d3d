# SPDX-License-Identifier: MIT
#
# The RDMA device of the real mana_ib: what the kernel and libibverbs report, and what check reports with
# and without the driver.

# expect_checks TEXT...: fails unless check prints these texts; the rest and the exit status are ignored.
expect_checks() {
  local text
  manactl check -v 2>&1 | tr -s ' \n' ' ' >/run/azure/out || true
  for text; do
    grep -q -F -- "$text" /run/azure/out || { cat /run/azure/out; fail "check does not print: $text"; }
    echo "ok: check: $text"
  done
}

allocated_before=$(requests ALLOCATE_RESOURCE_RANGE)
freed_before=$(requests DESTROY_RESOURCE_RANGE)
made_before=$(requests CREATE_ADAPTER)
destroyed_before=$(requests DESTROY_ADAPTER)
rdma dev
rdma link
expect "RDMA device of the function" mana_0 "$(ls /sys/bus/pci/devices/$function/infiniband)"
expect "ABI" 1 "$(cat /sys/class/infiniband_verbs/uverbs0/abi_version)"
info=$(ibv_devinfo -v)
for line in "phys_port_cnt:*2" "max_qp_wr:*2048" "max_cqe:*2048" "max_sge:*15" "max_pd:*64"; do
  # shellcheck disable=SC2053
  [[ $info == *$line* ]] || fail "ibv_devinfo does not show $line"
  echo "ok: ibv_devinfo: $line"
done
[[ $info != *fw_ver* ]] || fail "ibv_devinfo prints a firmware version, so it does not use libmana"
expect_checks "ok kernel.mana-ib: the mana_ib RDMA driver is loaded: mana_ib is loaded" \
  "ok rdma.devices: every MANA function has an RDMA device: mana_0" \
  "ok rdma.nodes: the RDMA devices can be opened: uverbs0" \
  "ok rdma.driver-id: the kernel and rdma-core agree on MANA's driver id: mana_0 (20)" \
  "ok rdma.provider: libibverbs chose the mana provider: mana_0"

rmmod mana_ib
expect "RDMA devices left" "" "$(ls /sys/class/infiniband)"
expect_checks "FAIL kernel.mana-ib: The mana_ib RDMA driver is not loaded"
modprobe mana_ib
wait_for test -e /dev/infiniband/uverbs0

# Opening the device allocates a doorbell page, and closing it frees the page.
expect "doorbell pages freed" "$(($(requests ALLOCATE_RESOURCE_RANGE) - allocated_before))" \
  "$(($(requests DESTROY_RESOURCE_RANGE) - freed_before))"
expect "adapters made" 1 "$(($(requests CREATE_ADAPTER) - made_before))"
expect "adapters destroyed" 1 "$(($(requests DESTROY_ADAPTER) - destroyed_before))"
