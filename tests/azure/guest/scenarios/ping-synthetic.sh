# SPDX-License-Identifier: MIT
#
# Packets over the synthetic path, between two namespaces, with the VFs down.

own_namespace left eth0 10.7.0.1/24
own_namespace right eth1 10.7.0.2/24
if with_vf; then
  ip -n left link set enP30832p0s0 down
  ip -n right link set enP30832p0s0d1 down
fi
ping_all left 10.7.0.2 20
if with_vf; then
  expect "packets over the VF" 0 "$(ip netns exec left ethtool -S eth0 | awk '/vf_tx_packets/ { print $2; exit }')"
fi
leave_namespaces
