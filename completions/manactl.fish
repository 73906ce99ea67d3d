# SPDX-License-Identifier: MIT
#
# fish completion for manactl. The program itself prints the candidates: the one in PATH, because TAB must not run another
# program whose path was typed.

function __manactl_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    for line in (command manactl __complete -- $typed[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path "$current"
            case ':directories'
                __fish_complete_directories "$current"
            case ':commands'
                complete -C "$current"
            case '*'
                printf '%s\n' $line
        end
    end
end

complete -c manactl -f -a '(__manactl_complete)'
