# SPDX-License-Identifier: MIT
#
# systemd-networkd sets the hop limit and the MTU of eth1 when it returns: restore keeps these values instead of those of
# the journal, reports each once, and restores the other settings.

. /guest/systemd/network-managers
wait_for is_managed eth1
conf=/proc/sys/net/ipv6/conf/eth1

# has_value VALUE FILE
has_value() {
  [ "$(cat "$2")" = "$1" ]
}

mkdir -p /run/systemd/network
cat >/run/systemd/network/20-eth1.network <<'END'
[Match]
Name=eth1

[Link]
MTUBytes=1400
RequiredForOnline=no

[Network]
LinkLocalAddressing=ipv6
IPv6HopLimit=77
END
networkctl reload
networkctl reconfigure eth1
wait_for has_value 77 $conf/hop_limit
wait_for has_value 1400 /sys/class/net/eth1/mtu

# An administrator sets these by hand.
echo 99 >$conf/hop_limit
ip link set eth1 mtu 1450
echo 8 >$conf/router_solicitation_delay
echo 1 >/proc/sys/net/ipv4/conf/eth1/arp_ignore
manactl prepare eth1 --hugepages none
manactl restore eth1 -v | tee /run/out
expect "hop limit" 77 "$(cat $conf/hop_limit)"
expect "router_solicitation_delay" 8 "$(cat $conf/router_solicitation_delay)"
expect "arp_ignore" 1 "$(cat /proc/sys/net/ipv4/conf/eth1/arp_ignore)"
expect "MTU" "1400 1400" "$(cat /sys/class/net/eth1/mtu $conf/mtu | xargs)"
for note in "$conf/hop_limit was '99', but something set it to '77'" \
    "/sys/class/net/eth1/mtu was '1450', but something set it to '1400'"; do
  [[ $(tr -s ' \n' ' ' </run/out) == *"$note when the interface returned"* ]] || fail "restore did not print: $note"
done
expect "notes" 2 "$(grep -c '^ *note ' /run/out)"

rm /run/systemd/network/20-eth1.network
networkctl reload
networkctl reconfigure eth1
ip link set eth1 mtu 1500
