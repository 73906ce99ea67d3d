# SPDX-License-Identifier: MIT
#
# In each round, a program dies from SIGKILL at a random moment: prepare, restore, bench with either engine, or
# dpdk-testpmd. Afterward, restore must restore the state, and no process and no hugepage remains. The kernel command
# line may contain azure.seed=N and azure.rounds=N.

. /guest/dpdk.sh
mount -t hugetlbfs hugetlbfs /dev/hugepages
RANDOM=$(parameter seed 1)
victims=(prepare restore bench bench-verbs testpmd)

# start VICTIM: starts the program in the background, with its output in /run/azure/victim. Sets $pid.
start() {
  [ "$1" = prepare ] || manactl prepare eth1 --hugepages 160 >/run/azure/out
  case $1 in
    prepare) exec_in_background manactl prepare eth1 --hugepages 160 ;;
    restore) exec_in_background manactl restore eth1 ;;
    bench) exec_in_background manactl bench eth1 --duration 60 --no-save ;;
    bench-verbs) exec_in_background manactl bench eth1 --engine verbs --duration 60 --no-save ;;
    testpmd)
      exec_in_background dpdk-testpmd -l 0-1 --vdev="$function,mac=00:0d:3a:76:3b:d1" -- --forward-mode=txonly \
        --auto-start --total-num-mbufs=16384 --txd=128 --rxd=128 --stats-period=1
      ;;
  esac
}

exec_in_background() {
  "$@" </dev/null >/run/azure/victim 2>&1 &
  pid=$!
}

# No process of the victim remains; bench runs its measurement in a child process.
none_runs() {
  ! pidof manactl dpdk-testpmd
}

# finish: restores the state and checks it.
finish() {
  wait_for 10 none_runs || { ps; fail "a process remains"; }
  # dpdk-testpmd leaves its files in hugetlbfs, and they keep their hugepages.
  rm -f /dev/hugepages/rtemap_*
  manactl restore --all >/run/azure/out 2>&1 || { cat /run/azure/out; fail "restore exited with $?"; }
  is_restored
  wait_for 5 vfs_joined
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
