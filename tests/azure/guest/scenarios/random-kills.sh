# SPDX-License-Identifier: MIT
#
# In each round, a program dies from SIGKILL at a random moment: prepare, restore, bench with either engine, or
# dpdk-testpmd. Afterward, restore must restore the state, and no process and no hugepage remains. The kernel command
# line may contain azure.seed=N and azure.rounds=N.

. /guest/victims.sh
mount -t hugetlbfs hugetlbfs /dev/hugepages
RANDOM=$(parameter seed 1)

# finish: restores the state and checks it.
finish() {
  wait_for none_runs || { ps; fail "a process remains"; }
  # dpdk-testpmd leaves its files in hugetlbfs, and they keep their hugepages.
  rm -f /dev/hugepages/rtemap_*
  manactl restore --all >/run/azure/out 2>&1 || { cat /run/azure/out; fail "restore exited with $?"; }
  is_restored
  wait_for vfs_joined
}

rounds=$(parameter rounds 5)
for ((round = 1; round <= rounds; round++)); do
  victim=${victims[round % ${#victims[@]}]}
  # prepare and restore take less than a second.
  printf -v delay '0.%03d' $((RANDOM % 800 + 100))
  [[ $victim = prepare || $victim = restore ]] || delay=$((RANDOM % 4))${delay#0}
  start "$victim"
  sleep "$delay"
  kill -KILL $pid 2>/dev/null || true
  rc=0
  wait $pid 2>/dev/null || rc=$?
  echo "# round $round: $victim, killed after $delay s, status $rc, ${SECONDS} s so far"
  finish
done
umount /dev/hugepages
