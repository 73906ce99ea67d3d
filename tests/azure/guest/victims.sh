# SPDX-License-Identifier: MIT
#
# The programs of the scenarios that kill a program or the device. Source this file in a scenario.

. /guest/dpdk.sh
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
