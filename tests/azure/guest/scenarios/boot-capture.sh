# SPDX-License-Identifier: MIT
#
# Boots a machine to capture bundles for tests/fixtures (see tests/fixtures/capture): addresses and routes
# as on Azure, hugepages, and a real sshd.

# Let modprobe find the additional modules, which only this boot has.
depmod 2>/dev/null
bring_up
modprobe -a ib_uverbs mana_ib tcp_diag
wait_for test -e /dev/infiniband/uverbs0
for number in 0 1; do
  ip address replace 10.0.$number.4/24 dev eth$number
  ip route replace default via 10.0.$number.1 dev eth$number metric $((100 + 100 * number))
done
for address in 168.63.129.16 169.254.169.254; do
  ip route replace $address via 10.0.0.1 dev eth0 metric 100
done
echo 64 >/proc/sys/vm/nr_hugepages
mount -t hugetlbfs -o pagesize=2M hugetlbfs /dev/hugepages
echo "ID=debian" >/etc/os-release
echo "sshd:x:100:100::/run/sshd:/bin/false" >>/etc/passwd
mkdir -p -m 755 /run/sshd
mkdir -p -m 700 /root/.ssh
ssh-keygen -q -t ed25519 -N "" -f /run/azure/host_key
ssh-keygen -q -t ed25519 -N "" -f /root/.ssh/id_ed25519
cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
/usr/bin/sshd -f /dev/null -h /run/azure/host_key -o UsePAM=no -o PermitRootLogin=yes \
  -o PidFile=none -E /run/azure/sshd.err
settled_state | tee /run/azure/state
