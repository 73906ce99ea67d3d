# SPDX-License-Identifier: MIT
#
# The guard of prepare with a real sshd, for each way in.

. /guest/ssh.sh
enter_client
dry_run="export PATH=/usr/bin NO_COLOR=1; manactl prepare eth1 --dry-run 2>&1"

# refused WAY TEXT DESTINATION [OPTION...]: fails unless prepare in a session refuses eth1 because of TEXT.
refused() {
  local way=$1 text=$2 out
  shift 2
  out=$(over_ssh "$@" "$dry_run"; echo "rc=$rc")
  [[ $out == *"rc=4" ]] || { cat /run/azure/sshd.*; fail "$way: $out"; }
  [[ $out == *"$text"* ]] || fail "$way: the message lacks '$text': $out"
  echo "ok: $way: refused"
}

start_sshd 1 22
main=$sshd
refused "direct" "SSH session from 10.7.0.1" 10.7.0.2

ip address add 10.8.0.1/32 dev lo
ip -n left route add 10.8.0.1 via 10.7.0.2
refused "floating IP address on lo" "SSH session from 10.7.0.1" 10.8.0.1
ip address del 10.8.0.1/32 dev lo

ip route add local 10.8.0.0/24 dev lo
refused "AnyIP" "SSH session from 10.7.0.1" 10.8.0.1
ip route del local 10.8.0.0/24 dev lo

start_sshd left 22
bastion=$sshd
ssh -n -N "${ssh_options[@]}" -R 2200:127.0.0.1:22 10.7.0.1 &
tunnel=$!
wait_for ip netns exec left nc -w 5 127.0.0.1 2200 </dev/null
refused "reverse tunnel" "perhaps, because its peer 127.0.0.1 is on this machine" 127.0.0.1 -p 2200
kill $tunnel $bastion
wait $tunnel $bastion || true

ip -6 address add fd00:7::2/64 dev eth1 nodad
ip -n left -6 address add fd00:7::1/64 dev eth0 nodad
ip address del 10.7.0.2/24 dev eth1
expect "IPv4 addresses of eth1" "" "$(ip -4 -o address show dev eth1)"
refused "IPv6 only" "it carries the SSH session from fd00:7::1; use another NIC" fd00:7::2
ip address add 10.7.0.2/24 dev eth1
ip -6 address del fd00:7::2/64 dev eth1

modprobe 8021q
ip link add link eth1 name eth1.7 type vlan id 7
ip -n left link add link eth0 name eth0.7 type vlan id 7
ip address add 10.9.0.2/24 dev eth1.7
ip -n left address add 10.9.0.1/24 dev eth0.7
ip link set eth1.7 up
ip -n left link set eth0.7 up
refused "VLAN" "it carries the SSH session from 10.9.0.1, vlan eth1.7 is stacked on it" 10.9.0.2
ip link del eth1.7
ip -n left link del eth0.7

modprobe vrf
ip link add red type vrf table 77
ip link set red up
ip link set eth1 master red
echo 1 >/proc/sys/net/ipv4/tcp_l3mdev_accept
refused "VRF" "it carries the SSH session from 10.7.0.1, it is a member of vrf red" 10.7.0.2
echo 0 >/proc/sys/net/ipv4/tcp_l3mdev_accept
ip link set eth1 nomaster
ip link del red
ip link set eth1 up

# wireguard NAMESPACE ADDRESS PEER-KEY PEER-ADDRESS: adds wg0, whose packets eth0 and eth1 carry.
wireguard() {
  local namespace=$1 address=$2 peer_key=$3 peer_address=$4
  ip -n "$namespace" link add wg0 type wireguard
  ip netns exec "$namespace" wg set wg0 private-key "/run/azure/wg.$namespace" listen-port 51820 \
    peer "$peer_key" allowed-ips 10.8.1.0/24 endpoint "$peer_address:51820"
  ip -n "$namespace" address add "$address/24" dev wg0
  ip -n "$namespace" link set wg0 up
}

modprobe wireguard
ip netns attach main $$
for namespace in left main; do (umask 077 && wg genkey >/run/azure/wg.$namespace); done
wireguard main 10.8.1.1 "$(wg pubkey </run/azure/wg.left)" 10.7.0.1
wireguard left 10.8.1.2 "$(wg pubkey </run/azure/wg.main)" 10.7.0.2
refused "WireGuard" "SSH session from 10.8.1.2" 10.8.1.1
ip -n left link del wg0
ip link del wg0
ip netns del main
kill $main
wait $main || true

# sshd in another namespace, to which this machine forwards a port of eth1. The administrator enters this namespace.
modprobe -a veth nf_tables nft_chain_nat nft_nat
ip netns add inner
ip link add inner0 type veth peer name eth0 netns inner
ip address add 10.66.0.1/24 dev inner0
ip link set inner0 up
ip -n inner address add 10.66.0.2/24 dev eth0
ip -n inner link set eth0 up
ip -n inner route add default via 10.66.0.1
echo 1 >/proc/sys/net/ipv4/ip_forward
nft -f - <<'NFT'
table ip nat {
  chain prerouting {
    type nat hook prerouting priority -100
    tcp dport 2022 dnat to 10.66.0.2:22
  }
}
NFT
start_sshd inner 22
inner=$sshd
outside=$dry_run
dry_run="export PATH=/usr/bin NO_COLOR=1; busybox nsenter -t 1 -m -n manactl prepare eth1 --dry-run 2>&1"
refused "DNAT" "SSH session from 10.7.0.1" 10.7.0.2 -p 2022
dry_run=$outside
kill $inner
wait $inner || true
nft delete table ip nat
echo 0 >/proc/sys/net/ipv4/ip_forward
ip netns del inner

# mosh-server is an ancestor of the shell, but no SSH session is left.
cp /usr/bin/bash /run/azure/mosh-server
rc=0
out=$(env -i PATH=/usr/bin /run/azure/mosh-server -c 'manactl prepare eth1 --dry-run 2>&1; exit $?') || rc=$?
expect "mosh: exit status" 4 $rc
[[ $out == *"login through mosh-server (perhaps"* ]] || fail "mosh: $out"

# A container with the network of the host, its own PID namespace, and sshd on another port of the host.
start_sshd 1 2222
ip netns exec left ssh -n "${ssh_options[@]}" -p 2222 10.7.0.2 "sleep 600" &
session=$!
wait_for grep -q "Accepted publickey" /run/azure/sshd.1.2222
rc=0
out=$(busybox unshare --pid --fork --mount --mount-proc manactl prepare eth1 --dry-run 2>&1) || rc=$?
expect "container: exit status" 4 $rc
[[ $out == *"connection from 10.7.0.1 to port 2222 (perhaps"* ]] || fail "container: $out"
kill $session $sshd
wait $session $sshd || true

# An interface of another namespace, and prepare in that namespace.
modprobe macvlan
ip netns add blue
ip link add link eth1 name m0 netns blue type macvlan
rc=0
out=$(manactl prepare eth1 --dry-run 2>&1) || rc=$?
expect "macvlan in another namespace: exit status" 4 $rc
[[ $out == *"macvlan m0 in network namespace "*" is stacked on it"* ]] || fail "macvlan: $out"
ip -n blue link del m0
rc=0
out=$(ip netns exec blue manactl prepare eth1 --dry-run 2>&1) || rc=$?
expect "another namespace: exit status" 3 $rc
[[ $out == *"not the initial network namespace"* ]] || fail "another namespace: $out"
ip netns del blue

rc=0
out=$(manactl prepare eth1 --dry-run 2>&1) || rc=$?
[ $rc -eq 0 ] || fail "without a session: $out"
echo "ok: without a session: accepted"
ip -n left -6 address del fd00:7::1/64 dev eth0
leave_client
