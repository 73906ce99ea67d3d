# SPDX-License-Identifier: MIT
#
# bash completion for manactl. The program itself prints the candidates: the one in PATH, because TAB must not run another
# program whose path was typed.

_manactl() {
  local line word
  local -a candidates=()
  COMPREPLY=()
  while IFS= read -r line; do
    word=${line%%$'\t'*}
    case $word in
      :files) compopt -o default ;;  # fall back to file names
      :directories) compopt -o dirnames; return ;;
      :commands) mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}"); return ;;
      *) candidates+=("$word") ;;
    esac
  done < <(command manactl __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)

  # readline splits "--color=al" at "=" and expects candidates for the last part only.
  local current=${COMP_WORDS[COMP_CWORD]}
  local before=${COMP_WORDS[COMP_CWORD-1]}
  if [[ $current == "=" || $before == "=" ]]; then
    candidates=("${candidates[@]#*=}")
  fi
  # bash inserts candidates unquoted. A comma has a meaning only between unquoted braces.
  for word in "${candidates[@]}"; do
    printf -v word %q "$word"
    COMPREPLY+=("${word//\\,/,}")
  done
}

complete -F _manactl manactl
