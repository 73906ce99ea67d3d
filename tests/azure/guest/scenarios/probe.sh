# SPDX-License-Identifier: MIT
#
# doctor --probe with the real mana_ib, libibverbs and libmana: on a port that the kernel uses, on a port
# with the default route, and on a free port. The device counts the requests.

counted="CREATE_PD DESTROY_PD ALLOCATE_RESOURCE_RANGE DESTROY_RESOURCE_RANGE CREATE_WQ_OBJ DESTROY_WQ_OBJ
  CONFIG_VPORT_RX CONFIG_VPORT_TX"
declare -A before

# probe_of IFACE STATUS TEXT...: like expect_probe, and remembers the counters of the device before it.
probe_of() {
  local name
  for name in $counted; do before[$name]=$(requests "$name"); done
  expect_probe "$@"
}

# sent REQUEST: prints how often the request has succeeded since the last probe began.
sent() {
  echo $(($(requests "$1") - before[$1]))
}

# Fails unless the drivers destroyed as many objects as they created during the probe.
expect_released() {
  expect "PDs" "$(sent CREATE_PD)" "$(sent DESTROY_PD)"
  expect "doorbell pages" "$(sent ALLOCATE_RESOURCE_RANGE)" "$(sent DESTROY_RESOURCE_RANGE)"
  expect "queues" "$(sent CREATE_WQ_OBJ)" "$(sent DESTROY_WQ_OBJ)"
}

# Reserve hugepages, because doctor would otherwise report their absence as the root cause.
pages=/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages
pages_before=$(cat $pages)
echo 64 >$pages

echo "# the kernel uses the port"
probe_of eth1 5 "ok completion queue" "failed raw-packet QP to send (create_qp: ENODEV)" \
  "the kernel uses it while 'enP30832p0s0d1' is up; run: ip link set enP30832p0s0d1 down" \
  "not tried RSS QP to receive" "ok release everything"
expect "steering of the port" 0 "$(sent CONFIG_VPORT_RX)"
expect_released

echo "# the port is free, but carries the default route"
ip route add default dev eth1
ip link set enP30832p0s0d1 down
probe_of eth1 4 "ok completion queue" "not tried raw-packet QP to send it carries the default route" \
  "not tried RSS QP to receive" "ok release everything"
expect "queues of the port" 0 "$(sent CREATE_WQ_OBJ)"
expect "the port" 0 "$(sent CONFIG_VPORT_TX)"
expect_released
ip route del default dev eth1

echo "# free"
ip link set eth1 down
ip link set enP30832p0s0d1 down
probe_of eth1 0 "ok raw-packet QP to send" "ok RSS QP to receive" "ok release everything" \
  "Direct verbs work. No packets were sent"
expect "queues" 3 "$(sent CREATE_WQ_OBJ)"
expect_released

echo "# back to the kernel"
echo "$pages_before" >$pages
ip link set enP30832p0s0d1 up
ip link set eth1 up
wait_for vfs_joined
