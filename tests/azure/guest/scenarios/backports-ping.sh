# SPDX-License-Identifier: MIT
#
# Sends packets over the VFs and over the synthetic path. Moving the NICs to other namespaces removes the
# configuration of eth1. The RDMA driver reports each change of addresses to the device.

. /guest/scenarios/ping-vf.sh
. /guest/scenarios/ping-synthetic.sh
configure_eth1
is_restored
expect "addresses rejected by the RDMA device" 0 \
  "$(grep -c 'CONFIG_IP_ADDR .* status 0x[^0]' /run/azure/trace || true)"
