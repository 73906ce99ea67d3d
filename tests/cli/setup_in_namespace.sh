#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Runs the program with its real lock, journal, signals and watchdog in a mount namespace where the
# hugepage pool is a plain file. Needs root.
#
# usage: setup_in_namespace.sh MANACTL

if [ -z "$IN_NAMESPACE" ]; then
  IN_NAMESPACE=1 exec unshare --mount --propagation private -- "$0" "$@"
fi
manactl=$(realpath "$1")
pool=/sys/devices/system/node/node0/hugepages/hugepages-2048kB
failures=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fresh() {  # fresh [SIZE]: resets the machine, with a state directory (/var/lib) of this size
  umount /var/lib 2>/dev/null
  mount -t tmpfs -o "mode=755,size=${1:-4m}" tmpfs /var/lib
  echo 0 >$pool/nr_hugepages
  echo 0 >$pool/free_hugepages
}

expect() {  # expect WHAT EXPECTED ACTUAL: records a failure if the values differ
  if [ "$2" != "$3" ]; then
    echo "$1: '$3' instead of '$2'"
    failures=$((failures + 1))
  fi
}

run() {
  timeout 30 "$manactl" "$@" >"$scratch"/out 2>"$scratch"/err
  code=$?
}

mount -t tmpfs -o mode=755 tmpfs /run || exit 1
mount -t tmpfs tmpfs $pool || { echo "no $pool on this machine: CONFIG_HUGETLBFS and a NUMA node are needed"; exit 1; }

fresh
run prepare --hugepages 4
expect "prepare" 0 $code
expect "pages" 4 "$(cat $pool/nr_hugepages)"
expect "mode of the journal" "700 600" "$(stat -c %a /var/lib/manactl/journal) $(stat -c %a /var/lib/manactl/journal/*)"
run wait --for prepared --timeout 1ms
expect "wait for a NIC that is prepared" 1 $code
expect "hugepages are not a NIC" "manactl: wait: timed out after less than 1 s: no NIC has a journal entry; run 'manactl status'" "$(cat "$scratch"/err)"
run prepare --hugepages 3
expect "pages of two requests" 7 "$(cat $pool/nr_hugepages)"
run prepare --hugepages 1000000000
expect "impossible request" 3 $code
expect "pages after an impossible request" 7 "$(cat $pool/nr_hugepages)"
run restore --all
expect "restore" 0 $code
expect "pages after restore" 0 "$(cat $pool/nr_hugepages)"
expect "journal after restore" "" "$(ls /var/lib/manactl/journal)"
run restore --all
expect "restore again" 0 $code

# prepare fails while another process holds the lock; status does not need the lock.
fresh
exec 9</run/manactl
flock 9
run prepare --hugepages 4
expect "busy" 5 $code
run status
expect "status while busy" 0 $code
exec 9>&-
expect "pages" 0 "$(cat $pool/nr_hugepages)"
expect "mode of the lock" "700 600" "$(stat -c %a /run/manactl) $(stat -c %a /run/manactl/lock)"

# prepare fails if the lock file belongs to another user, or if the state directory is writable for
# other users, a link of another user, read-only or full.
chown 65534 /run/manactl/lock
run prepare --hugepages 4
expect "lock of another user" 4 $code
rm -f /run/manactl/lock
mkdir -p -m 777 /var/lib/manactl
run prepare --hugepages 4
expect "world-writable state directory" 4 $code
rm -rf /var/lib/manactl
mkdir /var/lib/elsewhere
ln -s elsewhere /var/lib/manactl
chown -h 65534 /var/lib/manactl
run prepare --hugepages 4
expect "state directory is a link of another user" 4 $code
chown -h 0 /var/lib/manactl
run prepare --hugepages 4
expect "state directory is a link of root" 0 $code
run restore --all
fresh
mount -o remount,ro /var/lib
run prepare --hugepages 4
expect "read-only state directory" 6 $code
fresh 16k
head -c 16k /dev/zero >/var/lib/full 2>/dev/null
run prepare --hugepages 4
expect "full state directory" 6 $code
expect "pages" 0 "$(cat $pool/nr_hugepages)"

# The directory of the lock is created for root only. A link of root is followed, unless others can
# write to its target.
fresh
rm -r /run/manactl
(umask 0; timeout 30 "$manactl" prepare --hugepages 4 >/dev/null)
expect "prepare without a lock directory" 0 $?
expect "the lock directory" "700 root" "$(stat -c '%a %U' /run/manactl)"
run restore --all
rm -r /run/manactl
ln -s /tmp /run/manactl
run prepare --hugepages 4
expect "a link to /tmp in place of the lock directory" "4 1" "$code $(wc -l <"$scratch"/err)"
expect "pages" 0 "$(cat $pool/nr_hugepages)"
rm /run/manactl

# A journal of another user is neither trusted nor removed.
fresh
run prepare --hugepages 4
journal=/var/lib/manactl/journal/hugepages-1.jsonl
chown 65534 $journal
run restore --all
expect "journal of another user" 7 $code
grep -q "belongs to UID 65534" "$scratch"/out || expect "journal of another user" named missing
run restore --all
expect "journal of another user, again" 7 $code
run prepare --hugepages 4
expect "prepare beside a journal of another user" 5 $code
chown 0 $journal
run restore --all
expect "journal of this user again" 0 $code
expect "pages" 0 "$(cat $pool/nr_hugepages)"

# The watchdog rolls back unconfirmed changes, even if the session in which prepare ran has ended.
fresh
setsid "$manactl" prepare --hugepages 4 --confirm-timeout 2 >"$scratch"/out 2>&1
expect "pages before the timeout" 4 "$(cat $pool/nr_hugepages)"
for _ in $(seq 100); do [ "$(cat $pool/nr_hugepages)" = 0 ] && break; sleep 0.1; done
expect "pages after the timeout" 0 "$(cat $pool/nr_hugepages)"
for _ in $(seq 50); do [ -z "$(ls /var/lib/manactl/journal)" ] && break; sleep 0.1; done
expect "journal after the timeout" "" "$(ls /var/lib/manactl/journal)"
run prepare --hugepages 4 --confirm-timeout 600
watchdog=$(grep -o '"watchdog":"[0-9]*' /var/lib/manactl/journal/* | grep -o '[0-9]*$')
run status
grep -q "rolled back in" "$scratch"/out || expect "status before the timeout" shown missing
kill -9 "$watchdog"
while [ -e /proc/"$watchdog"/exe ]; do sleep 0.1; done
run status
grep -q "the watchdog has exited" "$scratch"/out || expect "status without a watchdog" shown missing
run status --json
grep -q '"watchdog": "dead"' "$scratch"/out || expect "status --json without a watchdog" dead other
run status
grep -q "run: *manactl restore hugepages-1" "$scratch"/out || expect "status without a watchdog" command none
expect "pages without a watchdog" 4 "$(cat $pool/nr_hugepages)"
run restore --all
expect "restore without a watchdog" 0 $code
run prepare --hugepages 4 --confirm-timeout 3
run confirm
expect "confirm" 0 $code
sleep 4
expect "pages after confirm" 4 "$(cat $pool/nr_hugepages)"
run restore --all
expect "pages at the end" 0 "$(cat $pool/nr_hugepages)"

[ $failures -eq 0 ] && echo "all tests passed"
exit $((failures != 0))
