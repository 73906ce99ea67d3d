# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What the scripts share; sourced, from the top of the repository.

say() { printf '\n== %s\n' "$*"; }

die() {
  printf '%s: %s\n' "$0" "$*" >&2
  exit 1
}

need_root() {
  ((EUID == 0)) || die "run it as root: $*"
}

# quietly LOG COMMAND...: what the command prints goes to build/LOG and is shown when it fails.
quietly() {
  local log=build/$1 status=0
  shift
  mkdir -p build
  "$@" >"$log" 2>&1 || status=$?
  if ((status)); then
    tail -n 30 "$log" >&2
    die "'$*' failed; all that it said is in $log"
  fi
}

# build PRESET [TARGET...]; cmake_options go to the configuration.
cmake_options=()
build() {
  local preset=$1
  shift
  say "Build: $preset"
  quietly "configure-$preset.log" cmake --preset "$preset" "${cmake_options[@]}"
  quietly "build-$preset.log" cmake --build --preset "$preset" ${1+--target "$@"}
}

# run_tests PRESET [CTEST OPTION...]: the closing lines when all pass, else what the failed ones said.
run_tests() {
  local log=build/test-$1.log preset=$1
  shift
  say "Test: $preset"
  if ! ctest --preset "$preset" -j "$(nproc)" "$@" >"$log" 2>&1; then
    grep -vE '^ *Start +[0-9]|^ *[0-9]+/[0-9]+ Test.* Passed ' "$log" | tail -n 200 >&2
    die "tests failed; all that they said is in $log"
  fi
  grep -A 100 'tests passed' "$log"
}
