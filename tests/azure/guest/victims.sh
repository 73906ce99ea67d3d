# SPDX-License-Identifier: MIT
#
# The programs of the scenarios that kill a program or the device. Source this file in a scenario.

. /guest/dpdk.sh
victims=(prepare restore bench bench-verbs testpmd)

# start VICTIM: starts the program in the background, with its output in /run/azure/victim. Sets $pid.
start() {
  [ "$1" = prepare ] || manactl prepare eth1 --hugepages 160 >/run/azure/out
  case $1 in
    prepare) in_background /run/azure/victim manactl prepare eth1 --hugepages 160 ;;
    restore) in_background /run/azure/victim manactl restore eth1 ;;
    bench) in_background /run/azure/victim manactl bench eth1 --duration 60 --no-save ;;
    bench-verbs) in_background /run/azure/victim manactl bench eth1 --engine verbs --duration 60 --no-save ;;
    testpmd)
      in_background /run/azure/victim dpdk-testpmd -l 0-1 --vdev="$function,mac=00:0d:3a:76:3b:d1" -- --forward-mode=txonly \
        --auto-start --total-num-mbufs=16384 --txd=128 --rxd=128 --stats-period=1
      ;;
  esac
}

# No process of the victim remains; bench runs its measurement in a child process.
none_runs() {
  ! pidof manactl dpdk-testpmd
}
