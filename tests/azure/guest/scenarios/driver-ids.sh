# SPDX-License-Identifier: MIT
#
# The number that the kernel gives an RDMA device decides which provider libibverbs loads: MANA's own
# for 20, the wrong one for 19 (what back-ports to old kernels said), none for a number unknown.

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

with_id 20
expect "ibv_devinfo" 0 $rc
[[ $info == *mana_0* && $info == *phys_port_cnt:*2* ]] || fail "no mana_0 with two ports"
[[ $info != *fw_ver* ]] || fail "not opened by libmana, which prints no firmware version"
rmmod mana_ib

with_id 19
expect "ibv_devinfo" 0 $rc
# All that can be seen of the wrong provider: it prints a firmware version.
[[ $info == *mana_0* && $info == *fw_ver:*0.0.0* ]] || fail "not opened by liberdma"
rmmod mana_ib

with_id 99
[ $rc -ne 0 ] || fail "ibv_devinfo found a provider for 99"
expect "devices" 0 "$(ibv_devices 2>/dev/null | grep -c mana || true)"
rmmod mana_ib
