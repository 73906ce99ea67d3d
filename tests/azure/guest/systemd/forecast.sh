# SPDX-License-Identifier: MIT
#
# Before Azure moves the VM: it has synthetic NICs and a NIC without MANA, and the rule of NetworkManager names only the drivers of
# Mellanox. check forecasts that the VM is not ready, and with the files of its remedy that it is. It also asks the metadata
# service, for which a web server on the loopback interface stands in. The scenario moved continues after the reboot.

. /guest/systemd/network-managers
. /guest/systemd/readiness
mkdir -p $kept /etc/manactl
[ -z "$(grep -lx 0x00ba /sys/bus/pci/devices/*/device)" ] || fail "the machine has a function of MANA"
wait_for eval 'grep -q virtio_net <<<"$(readlink /sys/class/net/*/device/driver)"' || fail "there is no other NIC"
wait_for has_address eth0 10.8.0.4
# The image keeps udev from loading mana too early. Azure's images do not.
mount --bind /dev/null /etc/modprobe.d/azure.conf
printf '[keyfile]\nunmanaged-devices=driver:mlx4_core;driver:mlx5_core\n' >$rules

check_json before
manactl check || true
expect "forecast" "\"forecast\": true," "$(grep -o '"forecast".*' $kept/before.json)"
expect "kernel networking" "kernel false" "$(readiness before | head -1)"
expect "reasons" move.managers "$(reasons before kernel)"

sed -n '/"id": "move.managers"/,/"id": "move.names"/ s/^ *"\(printf .*\)",\{0,1\}$/\1/p' $kept/before.json |
  sed 's/\\\\/\\/g; s/\\"/"/g' >$kept/remedy
cat $kept/remedy
expect "commands of the remedy" 2 "$(wc -l <$kept/remedy)"
bash -e $kept/remedy
check_json remedied
expect "kernel networking with the remedy" "kernel true" "$(readiness remedied | head -1)"
rm $remedy_files

mkdir -p /run/imds/metadata/instance
echo '{"name": "vm", "vmSize": "Standard_D4s_v5", "tagsList": [{"name": "LegacyVMNVA", "value": ""}]}' >/run/imds/metadata/instance/compute
echo '{"Events": [{"EventType": "Redeploy", "Resources": ["vm"], "NotBefore": "Mon, 19 Sep 2016 18:29:47 GMT"}]}' >/run/imds/metadata/scheduledevents
busybox httpd -p 127.0.0.1:8080 -h /run/imds
printf '[check]\nimds-address = "127.0.0.1:8080"\n' >/etc/manactl/config.toml
manactl check --imds --only move.platform -v | tee /run/out
for text in "Standard_D4s_v5 (Dsv5) may move to MANA since" "Redeploy not before Mon, 19 Sep 2016" "the tag LegacyVMNVA is set"; do
  [[ $(tr -s ' \n' ' ' </run/out) == *"$text"* ]] || fail "check did not print: $text"
done
rm -r /etc/manactl
