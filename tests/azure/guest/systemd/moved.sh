# SPDX-License-Identifier: MIT
#
# After Azure has moved the VM: the forecasts of the scenario forecast come true. NetworkManager manages the VFs, because its rule
# does not name mana, and check reports it. With the files of the remedy, it leaves them alone, and check passes.

. /guest/systemd/network-managers
. /guest/systemd/readiness
[ -e $rules ] || fail "the scenario forecast has written no rule"
for name in $vf0 $vf1; do wait_for is_managed $name || fail "$name is $(management_of $name)"; done
# A profile without a name of an interface, such as installers write. It gives the VF an address.
nmcli connection add type ethernet con-name any connection.multi-connect multiple ipv4.method manual \
  ipv4.addresses 10.8.9.4/24 ipv6.method disabled
wait_for has_address $vf1 10.8.9.4 || fail "NetworkManager has given $vf1 no address"

check_json managed
manactl check || true
expect "verdict of kernel networking" "$(readiness before | head -1)" "$(readiness managed | head -1)"
expect "reasons" interfaces.unmanaged "$(reasons managed kernel)"

bash -e $kept/remedy
nmcli general reload conf
for name in $vf0 $vf1 $vf2; do
  wait_for eval '[ "$(management_of $name)" = unmanaged ]' || fail "$name is $(management_of $name)"
done
nmcli connection delete any
# NetworkManager sets an interface down when it no longer uses it. The remedy of interfaces.links sets the VFs up.
for name in $vf0 $vf1 $vf2; do
  wait_for eval '! is_up $name' || fail "NetworkManager has left $name up"
  ip link set dev $name up
done
for name in eth0 eth2; do wait_for is_managed $name || fail "$name is $(management_of $name)"; done
check_json unmanaged
manactl check || true
expect "verdicts with the remedy" "$(readiness remedied)" "$(readiness unmanaged)"
for reason in $(reasons remedied dpdk); do
  has_reason unmanaged dpdk $reason || fail "$reason was forecast as a reason, but is not one"
done

rm -r $remedy_files $rules $kept
nmcli general reload conf
for name in $vf0 $vf1 $vf2; do wait_for is_managed $name || fail "$name is $(management_of $name)"; done
