# SPDX-License-Identifier: MIT
#
# A real sshd on eth1 of this machine, and its clients in the network namespace "left" with eth0. bash sources it.

for program in sshd ssh ssh-keygen nft wg; do
  type -P $program >/dev/null || {
    echo "$program is not in the guest: openssh-server, openssh-client, nftables and wireguard-tools have to be" \
      "installed before cmake runs"
    exit 77
  }
done

# start_sshd NAMESPACE PORT [OPTION...]: starts an sshd, and sets $sshd to its process.
start_sshd() {
  local namespace=$1 port=$2 run=() log pid
  shift 2
  log=/run/azure/sshd.$namespace.$port
  [ "$namespace" = 1 ] || run=(ip netns exec "$namespace")
  in_background "$log" "${run[@]}" /usr/bin/sshd -D -e -f /dev/null -h /run/azure/host_key -p "$port" \
    -o UsePAM=no -o PermitRootLogin=yes -o PidFile=none "$@"
  sshd=$pid
  wait_for grep -q "Server listening" "$log"
}

ssh_options=(-F none -o KexAlgorithms=curve25519-sha256 -o BatchMode=yes -o StrictHostKeyChecking=no
  -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o ConnectTimeout=60)

# over_ssh DESTINATION [-p PORT] COMMAND...: runs the command over SSH from the namespace "left", and sets rc.
over_ssh() {
  rc=0
  ip netns exec left ssh -n "${ssh_options[@]}" "$@" || rc=$?
}

# Moves eth0 to the namespace "left" and connects it with eth1.
enter_client() {
  modprobe -a tcp_diag
  ip netns add left
  move_pair 1 left eth0 enP30832p0s0
  ip -n left link set lo up
  ip link set lo up
  ip -n left address add 10.7.0.1/24 dev eth0
  ip address add 10.7.0.2/24 dev eth1
  grep -q "^sshd:" /etc/passwd || echo "sshd:x:100:100::/run/sshd:/bin/false" >>/etc/passwd
  mkdir -p -m 755 /run/sshd
  mkdir -p -m 700 /root/.ssh
  [ -e /run/azure/host_key ] || ssh-keygen -q -t ed25519 -N "" -f /run/azure/host_key
  ssh-keygen -q -t ed25519 -N "" -f /root/.ssh/id_ed25519
  cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
}

leave_client() {
  ip address del 10.7.0.2/24 dev eth1
  move_pair left 1 eth0 enP30832p0s0
  ip netns del left
  ! with_vf || wait_for vfs_joined
  rm -rf /root/.ssh
}
