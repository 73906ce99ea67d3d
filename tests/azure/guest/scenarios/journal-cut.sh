# SPDX-License-Identifier: MIT
#
# A journal that lost its last byte, half of its records, or most of its first line, which holds what
# was there before. Of the last, restore says what cannot be known; the card comes back all the same.

journal=/var/lib/manactl/journal

# prepare_and_keep last|half|start: what is left of the journal.
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
  echo "# $keep of $size bytes are left, $first are the first line"
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
expect "headline" "eth1 is restored as far as that can be known" "$(head -1 /run/azure/out)"
grep -q "What cannot be known any more" /run/azure/out || fail "it is not said what cannot be known"
expect "driver of eth1" hv_netvsc "$(driver_of /sys/class/net/eth1/device)"

echo "# what a person does then"
rm -f "$journal"/*
echo 0 >/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages
ip link set eth1 up
set_surroundings
is_restored
