# SPDX-License-Identifier: MIT
#
# Runs prepare at random moments after a VF has joined, some of them before hv_netvsc takes the VF over. Then runs restore
# while a VF returns. The kernel command line may contain azure.seed=N and azure.rounds=N.

RANDOM=$(parameter seed 1)
rounds=$(parameter rounds 2)
vf=enP30832p0s0d1

# random_delay: sets $delay to a time up to half a second.
random_delay() {
  printf -v delay '0.%03d' $((RANDOM % 500))
}

# run ARGUMENT...: runs manactl, which must succeed.
run() {
  manactl "$@" >/run/azure/out 2>&1 || { rc=$?; cat /run/azure/out; fail "round $round: manactl $* exited with $rc"; }
}

# join_again: makes the VF leave eth1 and join it again under the same name. In another network namespace, the VF leaves
# eth1, and hv_netvsc moves it back to the namespace of eth1, where it joins again.
join_again() {
  local end=$((SECONDS + wait_limit))
  ip link set $vf netns elsewhere
  until [ "$(master_of $vf)" = eth1 ]; do
    ((SECONDS < end)) || fail "round $round: $vf does not join eth1"
  done
}

ip netns add elsewhere
early=0
for ((round = 1; round <= rounds; round++)); do
  options="--hugepages none"
  [ $((round % 2)) -eq 0 ] || options+=" --vf-only"
  # The first two rounds start at once, because random delays rarely end before the takeover.
  delay=0
  [ $round -le 2 ] || random_delay
  before=$(takeovers)
  join_again
  sleep $delay
  taken_over=yes
  takeovers_exceed "$before" || { taken_over="not yet" early=$((early + 1)); }
  run prepare eth1 $options
  # With --vf-only, the VF stays joined and is taken over. Otherwise, unbinding eth1 cancels that.
  [[ $options != *vf-only* ]] || wait_for takeovers_exceed "$before"
  is_up $vf && fail "round $round: $vf is up after $options"
  run restore eth1
  is_restored
  echo "ok: round $round: prepare eth1 $options, $delay s after the VF joined; taken over: $taken_over"
done
# On a busy machine, this may be none.
echo "# $early of $rounds rounds started prepare before the takeover"
ip netns del elsewhere

# Plays udev: renames a VF as soon as it appears.
while true; do
  rename_vfs
  sleep 0.02
done &
renaming=$!
trap 'record_failure; kill $renaming 2>/dev/null || true' EXIT
for ((round = 1; round <= rounds; round++)); do
  run prepare eth1 --hugepages none
  echo 0 >/sys/module/hv_vmbus/parameters/vf
  set_present 0
  random_delay
  returns=$delay
  random_delay
  (sleep $returns
    return_vfs) &
  returning=$!
  sleep $delay
  run restore eth1
  wait $returning
  is_restored
  echo "ok: round $round: restore eth1 after $delay s, while the VF returned after $returns s"
done
