# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Functions that the scripts share. quietly, build and run_tests work in the top folder of the repository.

say() { printf '\n== %s\n' "$*"; }

die() {
  printf '%s: %s\n' "$0" "$*" >&2
  exit 1
}

need_root() {
  ((EUID == 0)) || die "run it as root: $*"
}

# need_space FOLDER MIB: fails if less space is free in the file system of the folder.
need_space() {
  local free
  free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
  ((free >= $2)) || die "only $free MiB are free in $(realpath "$1"); $2 MiB are needed"
}

# quietly LOG COMMAND...: runs the command with its output in build/LOG. On failure prints the end of
# that file.
quietly() {
  local log=build/$1 status=0
  shift
  mkdir -p build
  "$@" >"$log" 2>&1 || status=$?
  if ((status)); then
    tail -n 30 "$log" >&2
    die "'$*' failed; see $log"
  fi
}

# apt_install PACKAGE...: installs packages of the distribution, without those that they recommend.
# scripts/on-debian sets MANACTL_APT_PRELOAD.
apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  apt-get -q update && LD_PRELOAD=${MANACTL_APT_PRELOAD-} apt-get -q install -y --no-install-recommends "$@"
}

# apt_error LOG: prints the first error of apt or mmdebstrap in the file.
apt_error() { sed -n 's/^E: //p' "$1" | head -n 1; }

# build PRESET [TARGET...]: configures the preset with the options in cmake_options, and builds it.
cmake_options=()
build() {
  local preset=$1
  shift
  say "Build: $preset"
  quietly "configure-$preset.log" cmake --preset "$preset" "${cmake_options[@]}"
  quietly "build-$preset.log" cmake --build --preset "$preset" ${1+--target "$@"}
}

# show_versions PRESET: prints the versions of what the tests of the preset used.
show_versions() {
  say "Versions"
  scripts/versions "build/$1"
}

# refuse_skips: reads names of skipped tests, and fails if tests/skips.txt does not list one of them.
refuse_skips() {
  local skipped
  skipped=$(grep -vEf <(sed -n 's/^\([^# ][^ ]*\)  .*/\1/p' tests/skips.txt) || true)
  [[ -z $skipped ]] || die "tests were skipped that tests/skips.txt does not list: ${skipped//$'\n'/ }"
}

# run_tests PRESET [CTEST OPTION...]: prints the summary, or the output of the tests that failed. Fails
# if a test was skipped that tests/skips.txt does not list.
run_tests() {
  local log=build/test-$1.log preset=$1
  shift
  say "Test: $preset"
  # One more test than CPUs, because many tests wait.
  if ! ctest --preset "$preset" -j "$(($(nproc) + 1))" "$@" >"$log" 2>&1; then
    grep -vE '^ *Start +[0-9]|^ *[0-9]+/[0-9]+ Test.* Passed ' "$log" | tail -n 200 >&2
    show_versions "$preset" >&2 || true
    die "tests failed; see $log"
  fi
  grep -A 100 'tests passed' "$log"
  sed -n 's/^[[:space:]]*[0-9]* - \(.*\) (Skipped)$/\1/p' "$log" | refuse_skips
}

# run_programs PRESET [EXCEPT]: like run_tests for all test programs but EXCEPT, and runs all tests of a program in
# one process. With a sanitizer, the start of a process takes longer than most tests.
run_programs() {
  local preset=$1 except=${2-} program failed=
  say "Test: $preset, one process per program"
  local folder=build/test-$preset
  rm -rf "$folder"
  mkdir -p "$folder"
  # Reversed, because test_setup takes longest: the last programs do not wait for it on one CPU.
  # shellcheck disable=SC2016
  find "build/$preset/tests" -name 'test_*' -type f -perm -100 | grep -v "/$except$" | sort -r |
    xargs -P "$(nproc)" -I{} sh -c 'timeout 900 {} --gtest_brief=1 >"$0/${1##*/}.log" 2>&1 || echo "$?" >"$0/${1##*/}.failed"' \
      "$folder" {}
  for program in "$folder"/*.failed; do
    [[ -e $program ]] || continue
    tail -n 60 "${program%.failed}.log" >&2
    failed+=" ${program##*/}"
  done
  [[ -z $failed ]] || die "test programs failed:${failed//.failed/}; see $folder"
  grep -h '^\[==========\] [0-9]* test' "$folder"/*.log | awk '{ tests += $2 } END { print tests " tests passed" }'
  for program in "$folder"/test_*.log; do
    program=${program##*/test_}
    sed -n "s/^\[  SKIPPED \] \([^ ]*[.][^ ]*\).*/${program%.log}.\1/p" "$folder/test_$program"
  done | refuse_skips
}

# Lets the kernel start programs for ARM64 with the emulator of this machine. Flag F lets it open the emulator at
# once, so a root file system need not contain it.
register_emulator() {
  [[ $(uname -m) != aarch64 ]] || return 0
  local formats=/proc/sys/fs/binfmt_misc magic=7f454c460201010000000000000000000200b700 mask=ffffffffffffff00fffffffffffffffffeffffff
  type -P qemu-aarch64-static >/dev/null || die "qemu-user-static is not installed; run scripts/packages portable"
  [[ -e $formats/register ]] || mount -t binfmt_misc none "$formats"
  [[ -e $formats/manactl-arm64 ]] || printf ':manactl-arm64:M::%s:%s:%s:F' \
    "$(sed 's/../\\x&/g' <<<"$magic")" "$(sed 's/../\\x&/g' <<<"$mask")" "$(type -P qemu-aarch64-static)" >"$formats/register"
}

# apt_sources SUITE [POCKET...]: prints the apt sources of the Debian release SUITE, and of the suites
# SUITE-POCKET, such as trixie-backports, on the mirror of this machine's sources. Security updates have
# their own mirror; sid has none. In sid, /etc/os-release may name the next release. Prints nothing if this machine has no sources of Debian.
apt_sources() {
  local suite=$1 repositories release uri name pocket
  shift
  repositories=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' \
    'Origin: Debian' 'Component: main' | sort -u)
  # shellcheck source=/dev/null
  release=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
  while read -r uri name; do
    case $name in
      "$release" | sid)
        printf 'deb %s %s main\n' "$uri" "$suite"
        for pocket; do printf 'deb %s %s-%s main\n' "$uri" "$suite" "$pocket"; done
        ;;
      "$release-security" | "$release-updates")
        [[ $suite == sid ]] || printf 'deb %s %s main\n' "$uri" "$suite-${name#*-}" ;;
    esac
  done <<<"$repositories"
}
