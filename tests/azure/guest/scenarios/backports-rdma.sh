# SPDX-License-Identifier: MIT
#
# The RDMA device of the real mana_ib: what the kernel and libibverbs report, and what check reports with
# and without the driver.

# expect_lines LINE...: fails unless check prints these lines; other lines and the exit status are ignored.
expect_lines() {
  local line
  manactl check >/run/azure/out 2>&1 || true
  for line; do
    grep -q -F -- "$line" /run/azure/out || { cat /run/azure/out; fail "check does not print: $line"; }
    echo "ok: check: $line"
  done
}

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
expect_lines "ok   the mana_ib RDMA driver is loaded: mana_ib is loaded" \
  "ok   every MANA function has an RDMA device: mana_0" \
  "ok   the RDMA devices can be opened: uverbs0" \
  "ok   the kernel and rdma-core agree on MANA's driver id: mana_0 (20)" \
  "ok   libibverbs chose the mana provider: mana_0"

rmmod mana_ib
expect "RDMA devices left" "" "$(ls /sys/class/infiniband)"
expect_lines "FAIL the mana_ib RDMA driver is loaded"
modprobe mana_ib
wait_for 5 test -e /dev/infiniband/uverbs0

# Opening the device allocates a doorbell page, and closing it frees the page.
count() { grep -c "$1 .* status 0x0$" /run/azure/trace || true; }
expect "doorbell pages freed" "$(count ALLOCATE_RESOURCE_RANGE)" "$(count DESTROY_RESOURCE_RANGE)"
expect "adapters made" 2 "$(count CREATE_ADAPTER)"
expect "adapters destroyed" 1 "$(count DESTROY_ADAPTER)"
