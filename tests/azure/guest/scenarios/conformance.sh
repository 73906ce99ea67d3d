# SPDX-License-Identifier: MIT
#
# Last of a boot: the device model saw no driver break the rules of the hardware, and lost nothing.

expect "violations" 0 "$(grep -c -i violation /run/azure/trace || true)"
echo "$(wc -l </run/azure/trace) lines of trace, $(cat /run/azure/model.err)"
