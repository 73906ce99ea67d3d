# SPDX-License-Identifier: MIT
#
# The number that the kernel gives an RDMA device decides which provider libibverbs loads: MANA's own
# for 20, the wrong one for 19 (what back-ports to old kernels said), none for a number unknown.

modprobe ib_uverbs

# which library the opened device came from, seen from outside: the mappings of ibv_devinfo
with_id() {
  modprobe mana_ib driver_id="$1"
  wait_for 5 test -e /dev/infiniband/uverbs0
  rdma dev
  rdma link
  echo "ibv_devices:"
  ibv_devices
  rc=0
  info=$(LD_DEBUG=files ibv_devinfo 2>/tmp/loader) || rc=$?
  echo "$info"
}

provider() {
  sed -n 's/.*calling init: .*\/lib\([a-z]*\)-rdmav.*/\1/p' /tmp/loader | sort -u | tr '\n' ' '
}

with_id 20
expect "ibv_devinfo" 0 $rc
[[ $info == *mana_0* && $info == *phys_port_cnt:*2* ]] || fail "no mana_0 with two ports"
expect "firmware line" "" "$(echo "$info" | grep -s fw_ver || true)"
rmmod mana_ib

with_id 19
expect "ibv_devinfo" 0 $rc
[[ $info == *mana_0* && $info == *"fw_ver:"*"0.0.0"* ]] || fail "not opened by liberdma"
rmmod mana_ib

with_id 99
[ $rc -ne 0 ] || fail "ibv_devinfo found a provider for 99"
expect "devices" 0 "$(ibv_devices 2>/dev/null | grep -c mana || true)"
rmmod mana_ib
