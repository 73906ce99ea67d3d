# SPDX-License-Identifier: MIT
#
# Sends packets over the synthetic path, between two namespaces, with the VFs down.

enter_namespaces
if with_vf; then
  ip -n left link set enP30832p0s0 down
  ip -n right link set enP30832p0s0d1 down
fi
before=$(vf_packets left eth0)
ping_all left 10.7.0.2 20
expect "packets over the VF meanwhile" "$before" "$(vf_packets left eth0)"
leave_namespaces
