# SPDX-License-Identifier: MIT
#
# The kernel sends between the two ports of MANA direct, one of which is in another namespace.

ip netns add right
ip link set eth1 netns right
ip address add 10.7.0.1/24 dev eth0
ip -n right address add 10.7.0.2/24 dev eth1
ip -n right link set eth1 up
wait_for is_operational_in right eth1
ping_all right 10.7.0.1 5
grep mana /proc/interrupts
expect "violations" "[]" "$(device_console violations)"

ip address flush dev eth0
ip -n right link set eth1 netns 1
ip netns del right
ip link set eth1 up
wait_for is_operational eth1
