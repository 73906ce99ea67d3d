# SPDX-License-Identifier: MIT
#
# Sends small and large packets between the synthetic interfaces without a VF.

enter_namespaces
ping_all left 10.7.0.2 20
for side in left:eth0 right:eth1; do
  ip -n ${side%:*} link set ${side#*:} mtu 9000
done
wait_for ip netns exec left ping -c 1 -W 1 10.7.0.2
out=$(ip netns exec left ping -c 5 -i 0.1 -s 8000 10.7.0.2) || fail "large packets: $out"
echo "$out" | tail -2
for side in left:eth0 right:eth1; do
  ip -n ${side%:*} link set ${side#*:} mtu 1500
done
leave_namespaces
