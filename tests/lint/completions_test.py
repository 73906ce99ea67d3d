#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Types commands and TAB in bash, zsh and fish, and checks the completions.

usage: completions_test.py MANACTL SOURCE_DIR
"""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
completions = source / "completions"
root = source / "tests/fixtures/healthy-two-nics"
environment = {
    "PATH": f"{program.parent}:{os.environ['PATH']}",
    "HOME": "/nonexistent",
    "TERM": "xterm",
    "LC_ALL": "C.UTF-8",
}
failures = []
TIMEOUT = 20.0  # seconds; reached only if a shell hangs


def expect(what, text, words, never=()):
    for word in words:
        if word not in text:
            failures.append(f"{what}: '{word}' is missing in {text!r}")
    for word in never:
        if word in text:
            failures.append(f"{what}: '{word}' must not be in {text!r}")


class Terminal:
    """A shell on a pseudo terminal."""

    def __init__(self, *command):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe(command[0], command, environment)
        wide = struct.pack("HHHH", 50, 250, 0, 0)  # 250 columns, so that no line wraps
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, wide)
        self.text = ""

    def send(self, keys):
        os.write(self.fd, keys.encode())

    def until(self, pattern):
        """Returns the output since the last call, as soon as it matches `pattern` or after the timeout."""
        end = time.monotonic() + TIMEOUT
        while not re.search(pattern, self.plain()) and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.2)[0]:
                try:
                    self.text += os.read(self.fd, 65536).decode(errors="replace")
                except OSError:
                    break
        seen, self.text = self.plain(), ""
        return seen

    def plain(self):
        """Returns the output without control sequences."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\x08\r]", "", self.text)

    def press_tab(self, shell, typed, pattern):
        self.send(typed + "\t")
        seen = self.until(pattern)
        if not re.search(pattern, seen):
            failures.append(f"{shell}: '{typed}<TAB>' was not completed to {pattern}: {seen!r}")
        self.send("\x15\x0c")  # clears the line

    def close(self):
        self.send("\x15exit\n")
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def drive(shell, terminal):
    terminal.press_tab(shell, "manactl docto", r"docto\S*r ")
    terminal.press_tab(shell, "manactl bench --mo", r"--mo\S*de ")
    terminal.press_tab(shell, "manactl bench -o nd", r"-o nd\S*json ")
    terminal.press_tab(shell, f"manactl bench compare {source}/LICE", r"LICE\S*NSE ")
    terminal.press_tab(shell, "manactl bench show 2026", r"2026\S*1121-134702-3f2a ")
    terminal.press_tab(shell, "manactl check --color alw", r"alw\S*ays ")
    terminal.press_tab(shell, "manactl sim -- basena", r"basena\S*me ")
    terminal.press_tab(shell, "manactl help docto", r"docto\S*r ")
    terminal.press_tab(shell, "manactl check --color=alw", r"--color=alw\S*ays ")
    terminal.press_tab(shell, f"manactl check --root {root} enP30832p0s0d", r"p0s0d\S*1 ")
    terminal.press_tab(shell, f"manactl doctor --log {source}/LICE", r"LICE\S*NSE ")
    terminal.close()


def bash():
    terminal = Terminal("bash", "--norc", "--noprofile", "-i")
    terminal.send(f"source {completions}/manactl.bash; echo re''ady\n")
    terminal.until("ready")
    drive("bash", terminal)


def zsh():
    terminal = Terminal("zsh", "-f", "-i")
    terminal.send(
        f"fpath=({completions} $fpath); autoload -U compinit; compinit -u -D; echo re''ady\n")
    terminal.until("ready")
    drive("zsh", terminal)


def fish():
    def ask(line):
        script = f"source {completions}/manactl.fish; complete -C '{line}'"
        return subprocess.run(["fish", "--no-config", "-c", script], env={**environment, "HOME": "/tmp"},
                              capture_output=True, text=True, timeout=TIMEOUT, check=False).stdout

    expect("fish", ask("manactl ch"), ["check\tCheck whether"], ["doctor"])
    expect("fish", ask("manactl bench --mode "), ["tx", "rx"])
    expect("fish", ask("manactl sim -- basena"), ["basename"])
    expect("fish", ask("manactl check --color=a"), ["--color=auto", "--color=always"])
    expect("fish", ask(f"manactl check --root {root} eth"), ["eth0", "eth1"])
    expect("fish", ask(f"manactl doctor --log {source}/LICE"), ["LICENSE"])


def every_option():
    """Checks that every existing option is completed."""
    tree = json.loads(subprocess.run([program, "__commands"], check=True, capture_output=True).stdout)
    for command in tree["commands"]:
        shown = subprocess.run([program, "__complete", "--", command["name"], "--"], check=True,
                               capture_output=True, text=True).stdout
        offered = {line.split("\t")[0] for line in shown.splitlines()}
        for option in command["options"] + tree["options"]:
            if option["name"] not in offered:
                failures.append(f"{command['name']} {option['name']} is not completed")


def printed_scripts():
    """Checks that 'manactl completion SHELL' prints the installed script."""
    for shell, file in (("bash", "manactl.bash"), ("zsh", "_manactl"), ("fish", "manactl.fish")):
        text = subprocess.run([program, "completion", shell], check=True, capture_output=True).stdout
        if text != (completions / file).read_bytes():
            failures.append(f"manactl completion {shell} does not print completions/{file}")


with tempfile.TemporaryDirectory() as place:
    environment["MANACTL_RESULTS"] = place
    pathlib.Path(place, "20261121-134702-3f2a.json").write_text("{}")
    every_option()
    printed_scripts()
    bash()
    zsh()
    fish()
print("\n".join(failures) or "bash, zsh and fish complete")
sys.exit(1 if failures else 0)
