# SPDX-License-Identifier: MIT
#
# The last scenario of a boot: the device model recorded no violation of the rules of the hardware.

expect "violations" 0 "$(grep -c -i violation /run/azure/trace || true)"
echo "$(wc -l </run/azure/trace) lines of trace, $(cat /run/azure/model.err)"
