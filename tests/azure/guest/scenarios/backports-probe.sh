# SPDX-License-Identifier: MIT
#
# doctor --probe with the real mana_ib, libibverbs and libmana: a port that the kernel has, one that an
# administrator needs, and one that is free. The device tells what was asked of it.

probe_of() {
  from=$(grep -c . /run/azure/trace)
  probes "$@"
}

# asked COMMAND: how often the last probe made the drivers ask the device for that.
asked() {
  tail -n +$((from + 1)) /run/azure/trace | grep -c " $1 .* status 0x0$" || true
}

# What was made was given back, in whatever order.
gave_back() {
  expect "PDs" "$(asked CREATE_PD)" "$(asked DESTROY_PD)"
  expect "doorbell pages" "$(asked ALLOCATE_RESOURCE_RANGE)" "$(asked DESTROY_RESOURCE_RANGE)"
  expect "queues" "$(asked CREATE_WQ_OBJ)" "$(asked DESTROY_WQ_OBJ)"
}

# Without hugepages the checks would have a root cause of their own.
pages=/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages
had=$(cat $pages)
echo 64 >$pages

echo "# the kernel has the port"
probe_of eth1 5 "ok completion queue" "failed raw-packet QP to send (create_qp: ENODEV)" \
  "the kernel has it while 'enP30832p0s0d1' is up; run: ip link set enP30832p0s0d1 down" \
  "not tried RSS QP to receive" "ok give it all back"
expect "steering of the port" 0 "$(asked CONFIG_VPORT_RX)"
gave_back

echo "# an administrator's, even if it were free"
ip route add default dev eth1
ip link set enP30832p0s0d1 down
probe_of eth1 4 "ok completion queue" "not tried raw-packet QP to send it carries the default route" \
  "not tried RSS QP to receive" "ok give it all back"
expect "queues of the port" 0 "$(asked CREATE_WQ_OBJ)"
expect "the port" 0 "$(asked CONFIG_VPORT_TX)"
gave_back
ip route del default dev eth1

echo "# free"
ip link set eth1 down
ip link set enP30832p0s0d1 down
probe_of eth1 0 "ok raw-packet QP to send" "ok RSS QP to receive" "ok give it all back" \
  "Direct verbs work here."
expect "queues" 3 "$(asked CREATE_WQ_OBJ)"
gave_back

echo "# and the kernel's again"
echo "$had" >$pages
ip link set enP30832p0s0d1 up
ip link set eth1 up
wait_for 10 vfs_joined
set_surroundings
is_restored
