# SPDX-License-Identifier: MIT
#
# Runs prepare at random moments within half a second after a VF has joined, while hv_netvsc takes it over, and restore
# while a VF returns. The kernel command line may contain azure.seed=N and azure.rounds=N.

RANDOM=$(parameter seed 1)
rounds=$(parameter rounds 2)
vf=enP30832p0s0d1

remove_vfs() {
  echo 0 >/sys/module/hv_vmbus/parameters/vf
  set_present 0
}

return_vfs() {
  set_present 1
  echo 0xffffffff >/sys/module/hv_vmbus/parameters/vf
}

# pause_randomly: sleeps up to half a second, and sets $delay.
pause_randomly() {
  printf -v delay '0.%03d' $((RANDOM % 500))
  sleep "$delay"
}

# run ARGUMENT...: runs manactl, which must succeed.
run() {
  manactl "$@" >/run/azure/out 2>&1 || { rc=$?; cat /run/azure/out; fail "round $round: manactl $* exited with $rc"; }
}

# join_again: makes the VF leave eth1 and join it again under the same name. In another network namespace, the VF leaves
# eth1, and hv_netvsc moves it back to the namespace of eth1, where it joins again.
join_again() {
  ip link set $vf netns elsewhere
  until [ "$(master_of $vf)" = eth1 ]; do :; done
}

ip netns add elsewhere
for ((round = 1; round <= rounds; round++)); do
  options="--hugepages none"
  [ $((round % 2)) -eq 0 ] || options+=" --vf-only"
  before=$(takeovers)
  join_again
  pause_randomly
  taken=no
  ! taken_over_since "$before" || taken=yes
  run prepare eth1 $options
  # With --vf-only, the VF stays joined and is taken over. Otherwise, unbinding eth1 cancels that.
  [[ $options != *vf-only* ]] || wait_for taken_over_since "$before"
  is_up $vf && fail "round $round: $vf is up after $options"
  run restore eth1
  is_restored >/run/azure/out || { cat /run/azure/out; fail "round $round: prepare $options after $delay s"; }
  echo "ok: round $round: prepare eth1 $options, $delay s after the VF joined, taken over before: $taken"
done
ip netns del elsewhere

# udev renames a VF as soon as it has appeared.
while true; do rename_vfs || true; done &
renaming=$!
for ((round = 1; round <= rounds; round++)); do
  run prepare eth1 --hugepages none
  remove_vfs
  (pause_randomly; return_vfs; echo "$delay" >/run/azure/delay) &
  returning=$!
  pause_randomly
  run restore eth1
  wait $returning
  is_restored >/run/azure/out || { cat /run/azure/out; fail "round $round"; }
  echo "ok: round $round: restore eth1 after $delay s, while the VF returned after $(cat /run/azure/delay) s"
done
kill $renaming
wait $renaming || true
