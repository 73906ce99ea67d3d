# SPDX-License-Identifier: MIT
#
# Packets over the VFs and beside them. Moving the cards takes away what stood on eth1; the RDMA device
# follows their addresses.

. /guest/scenarios/ping-vf.sh
. /guest/scenarios/ping-synthetic.sh
set_surroundings
is_restored
expect "addresses that the RDMA device refused" 0 \
  "$(grep -c 'CONFIG_IP_ADDR .* status 0x[^0]' /run/azure/trace || true)"
