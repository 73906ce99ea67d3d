# SPDX-License-Identifier: MIT
#
# Sends packets over the VFs, between two namespaces. All pass through the MANA device.

enter_namespaces
ip -n left link set enP30832p0s0 up
ip -n right link set enP30832p0s0d1 up
wait_for 5 eval 'ip -n right link show enP30832p0s0d1 | grep -q LOWER_UP'
wait_for 5 eval 'ip -n left link show enP30832p0s0 | grep -q LOWER_UP'

before=$(vf_packets left eth0)
ping_all left 10.7.0.2 20
sent=$(($(vf_packets left eth0) - before))
((sent >= 20)) || fail "only $sent packets went over the VF"
echo "ok: $sent packets over the VF"
leave_namespaces
