# SPDX-License-Identifier: MIT
#
# Sends packets over the VFs, between two namespaces. All pass through the MANA device.

enter_namespaces
before=$(vf_packets left eth0)
ping_all left 10.7.0.2 20
sent=$(($(vf_packets left eth0) - before))
((sent >= 20)) || fail "only $sent packets went over the VF"
echo "ok: $sent packets over the VF"
leave_namespaces
