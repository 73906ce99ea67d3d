# SPDX-License-Identifier: MIT
#
# The watchdog survives the end of the login session in which prepare ran, although logind kills what the
# session leaves behind, and systemd makes it roll back when its scope is stopped. Needs systemd, logind and
# pam_systemd in common-session (libpam-systemd).

mkdir -p /run/systemd/logind.conf.d
# logind.conf(5) excludes root by default, and also if the list is empty: it must name another user.
printf '[Login]\nKillUserProcesses=yes\nKillExcludeUsers=nobody\n' >/run/systemd/logind.conf.d/kill.conf
systemctl restart systemd-logind

pool=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
pages=$(cat $pool)

# Prints the PID of the watchdog of the only journal entry.
watchdog() {
  sed -n '1s/.*"watchdog":"\([0-9]*\) .*/\1/p' /var/lib/manactl/journal/*.jsonl
}

ended() {
  [ ! -e "/proc/$1" ]
}

has_pages() {
  [ "$(cat $pool)" = "$1" ]
}

is_rolled_back() {
  has_pages $pages && [ -z "$(ls /var/lib/manactl/journal)" ]
}

# A process that merely has a session of its own is killed with the login session: logind is set up.
# A login session of su(1) ends when its command ends.
su --login root -c "manactl prepare --hugepages 16 --confirm-timeout 30s
  setsid sleep 1000 >/dev/null 2>&1 &
  echo \$! >/run/left-behind; cat /proc/self/cgroup >/run/session"
grep -q '/session-.*\.scope$' /run/session || fail "su did not open a login session: $(cat /run/session)"
wait_for ended "$(cat /run/left-behind)"
has_pages $((pages + 16)) || fail "the pages are not reserved"
pid=$(watchdog)
expect "cgroup of the watchdog" "0::/system.slice/manactl-watchdog-hugepages-1-$pid.scope" "$(cat /proc/$pid/cgroup)"
manactl status | tee /run/out
grep -q 'rolled back in' /run/out || fail "status does not report the time that is left"
wait_for is_rolled_back
wait_for ended "$pid"
# The message may arrive after the end of the watchdog.
wait_for eval "journalctl --no-pager -o cat -t manactl | grep 'hugepages-1 was not confirmed and has been restored'"

# systemctl stop, like a shutdown, sends SIGTERM.
manactl prepare --hugepages 16 --confirm-timeout 600s
unit=manactl-watchdog-hugepages-1-$(watchdog).scope
systemctl stop "$unit"
wait_for is_rolled_back
[ -z "$(systemctl list-units --all --no-legend 'manactl-watchdog-*')" ] || fail "the scope remains"

rm /run/systemd/logind.conf.d/kill.conf
systemctl restart systemd-logind
