# SPDX-License-Identifier: MIT
#
# prepare --persist writes exactly its five files and changes no other file. The scenario persist-again
# continues after a reboot.

mkdir -p /etc/{systemd/system,tmpfiles.d,systemd/network,NetworkManager/conf.d}
# Create files that are named like the files of manactl but that manactl did not write.
echo "[Unit]" >/etc/systemd/system/manactl-other.service
echo "w /run/azure/other - - - - 1" >/etc/tmpfiles.d/manactl-other.conf
find /etc -type f -exec sha256sum {} + | sort >/mnt/etc.before

manactl prepare eth1 --hugepages 16 --mtu 1400 --persist
find /etc -type f -exec sha256sum {} + | sort >/mnt/etc.persistent
written=$(diff <(awk '{ print $2 }' /mnt/etc.before) <(awk '{ print $2 }' /mnt/etc.persistent) |
  sed -n 's/^> //p') || true
expect "files written" "/etc/NetworkManager/conf.d/90-manactl-eth1.conf
/etc/systemd/network/05-manactl-eth1.network
/etc/systemd/system/manactl-prepare-eth1.service
/etc/systemd/system/multi-user.target.d/manactl-eth1.conf
/etc/tmpfiles.d/manactl-eth1.conf" "$(sort <<<"$written")"
manactl status | tee /run/azure/out
for file in $written; do
  echo "## $file"
  cat "$file"
  head -1 "$file" | grep -q '^# Written by manactl for eth1.$' || fail "no header"
  grep -qx "at every boot: $file" /run/azure/out || fail "status does not list it"
done

# Before the reboot: eth1 is prepared, and a run on eth0 was killed.
rc=0
at_write 9:kill manactl prepare eth0 --hugepages none >/run/azure/out 2>&1 || rc=$?
expect "killed" 137 $rc
manactl status
# Do not check the state, because this scenario does not restore it.
rm /run/azure/state
