# SPDX-License-Identifier: MIT
#
# After the boot that ended the scenario persist: the unit's command prepares the NIC again, and
# restore --persist removes exactly what was written.

type -P systemd-tmpfiles >/dev/null || {
  echo "systemd-tmpfiles is not in the guest: the package systemd has to be installed before cmake runs"
  exit 77
}
manactl status | tee /run/azure/out
expect "journals of the boot before" 2 "$(grep -c 'of an earlier boot' /run/azure/out)"
manactl restore eth0 | tee /run/azure/out
grep -q "before the last reboot" /run/azure/out || fail "restore does not tell of the reboot"

# What systemd does at boot.
systemd-tmpfiles --create /etc/tmpfiles.d/manactl-eth1.conf
expect "hugepages" 16 "$(cat /proc/sys/vm/nr_hugepages)"
command=$(sed -n 's/^ExecStart=//p' /etc/systemd/system/manactl-prepare-eth1.service)
echo "\$ $command"
env -i $command
expect "driver" uio_hv_generic "$(driver_of $vmbus/devices/*3bd1000d3a76)"
is_up enP30832p0s0d1 && fail "the VF is up"
expect "MTU of the VF" 1400 "$(cat /sys/class/net/enP30832p0s0d1/mtu)"
expect "hugepages" 16 "$(cat /proc/sys/vm/nr_hugepages)"
diff /mnt/etc.persistent <(find /etc -type f -exec sha256sum {} + | sort) || fail "/etc has changed"

manactl restore eth1 --persist
diff /mnt/etc.before <(find /etc -type f -exec sha256sum {} + | sort) || fail "not exactly its own"
find /var/lib/manactl -type f | grep . && fail "a journal is left"
# The pages were the boot's, so they stay until the next one.
echo 0 >/proc/sys/vm/nr_hugepages
is_restored
