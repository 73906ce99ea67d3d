# SPDX-License-Identifier: MIT
#
# Continues the scenario persist after a reboot: the command of the systemd unit prepares the NIC again, and
# restore removes exactly the files that prepare --persist wrote.

type -P systemd-tmpfiles >/dev/null || {
  echo "systemd-tmpfiles is not in the guest: the package systemd has to be installed before cmake runs"
  exit 77
}
manactl status | tee /run/azure/out
expect "entries of the previous boot" 2 "$(grep -c 'from an earlier boot' /run/azure/out)"
manactl restore eth0 | tee /run/azure/out
grep -q "undone by the last reboot" /run/azure/out || fail "restore does not mention the reboot"

# Does what systemd does at boot.
systemd-tmpfiles --create /etc/tmpfiles.d/manactl-eth1.conf
expect "hugepages" 16 "$(cat /proc/sys/vm/nr_hugepages)"
command=$(sed -n 's/^ExecStart=.*flock [^ ]* //p' /etc/systemd/system/manactl-prepare-eth1.service)
echo "\$ $command"
env -i $command
expect "driver" uio_hv_generic "$(driver_of $vmbus/devices/*3bd1000d3a76)"
is_up enP30832p0s0d1 && fail "the VF is up"
expect "MTU of the VF" 1400 "$(cat /sys/class/net/enP30832p0s0d1/mtu)"
expect "hugepages" 16 "$(cat /proc/sys/vm/nr_hugepages)"
diff /mnt/etc.persistent <(find /etc -type f -exec sha256sum {} + | sort) || fail "/etc has changed"

manactl restore eth1
diff /mnt/etc.before <(find /etc -type f -exec sha256sum {} + | sort) || fail "restore did not remove exactly the files of manactl"
find /var/lib/manactl -type f | grep . && fail "a journal entry is left"
# systemd-tmpfiles reserved the pages, so restore leaves them.
echo 0 >/proc/sys/vm/nr_hugepages
is_restored
