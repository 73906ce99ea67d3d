# SPDX-License-Identifier: MIT
#
# Runs restore with a journal that lost its last byte, half of its records, or most of its first line.
# Without the first line, restore prints which earlier settings are unknown but still rebinds the NIC.

journal=/var/lib/manactl/journal

# prepare_and_keep last|half|start: prepares eth1 and truncates its journal entry (last: by one byte).
prepare_and_keep() {
  local files first size keep
  manactl prepare eth1 --hugepages 16 >/dev/null
  files=("$journal"/*)
  first=$(head -n 1 "${files[0]}" | wc -c)
  size=$(stat -c %s "${files[0]}")
  case $1 in
    last) keep=$((size - 1)) ;;
    half) keep=$(((first + size) / 2)) ;;
    start) keep=$((first / 2)) ;;
  esac
  echo "# $keep of $size bytes are left; the first line has $first bytes"
  head -c $keep "${files[0]}" >/run/azure/journal
  cat /run/azure/journal >"${files[0]}"
}

for part in last half; do
  prepare_and_keep $part
  manactl restore eth1
  is_restored
done

prepare_and_keep start
rc=0
manactl restore --all >/run/azure/out 2>&1 || rc=$?
cat /run/azure/out
expect "status" 7 $rc
expect "headline" "eth1 is restored, but some earlier settings are unknown" "$(head -1 /run/azure/out)"
grep -q "These earlier settings are unknown" /run/azure/out || fail "the unknown state is not listed"
expect "driver of eth1" hv_netvsc "$(driver_of /sys/class/net/eth1/device)"

echo "# restore the rest by hand"
rm -f "$journal"/*
echo 0 >/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages
ip link set eth1 up
configure_eth1
is_restored
