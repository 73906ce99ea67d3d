# SPDX-License-Identifier: MIT
#
# bash completion for manactl: it asks the program, so it never falls behind.

_manactl() {
  local line word
  local -a candidates=()
  COMPREPLY=()
  while IFS= read -r line; do
    word=${line%%$'\t'*}
    case $word in
      :files) compopt -o default ;;  # where nothing else fits
      :directories) compopt -o dirnames; return ;;
      *) candidates+=("$word") ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)

  # readline takes "--color=al" apart at "=" and wants the last piece alone.
  local current=${COMP_WORDS[COMP_CWORD]}
  local before=${COMP_WORDS[COMP_CWORD-1]}
  if [[ $current == "=" || $before == "=" ]]; then
    candidates=("${candidates[@]#*=}")
  fi
  COMPREPLY=("${candidates[@]}")
}

complete -F _manactl manactl
