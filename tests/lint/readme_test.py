#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""readme_test.py MANACTL SOURCE_DIR [update]: compares each output in README.md with that of its command, or updates it.

A command is an indented line that begins with "$ manactl"; its output are the indented lines below, up to the next
command. It runs in SOURCE_DIR, on a terminal with 80 columns.
"""
import difflib
import fcntl
import os
import pathlib
import pty
import shlex
import struct
import subprocess
import sys
import termios

COLUMNS = 80
INDENT = "    "
PROMPT = INDENT + "$ manactl "

program, source = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])


def output_of(words):
    """The output on a terminal."""
    terminal, program_side = pty.openpty()
    fcntl.ioctl(program_side, termios.TIOCSWINSZ, struct.pack("HHHH", 100, COLUMNS, 0, 0))
    environment = {"LC_ALL": "C.UTF-8", "NO_COLOR": "1", "TERM": "xterm"}
    with subprocess.Popen([program, *words], stdin=subprocess.DEVNULL, stdout=program_side, stderr=program_side,
                          cwd=source, env=environment) as process:
        os.close(program_side)
        output = b""
        while block := read(terminal):
            output += block
    os.close(terminal)
    assert process.returncode in (0, 1), output
    return output.decode().replace("\r\n", "\n").rstrip("\n").splitlines()


def read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # EIO: the program has closed the terminal
        return b""


def with_outputs(lines):
    """The lines of README with the outputs of this build."""
    result, commands, old = [], 0, False
    for line in lines:
        if line.startswith(PROMPT):
            commands, old = commands + 1, True
            words = shlex.split(line.removeprefix(PROMPT))
            result += [line, *((INDENT + row).rstrip() for row in output_of(words))]
        elif not old or (line and not line.startswith(INDENT)):
            if old:
                result.append("")
            old = False
            result.append(line)
    assert commands > 2, f"README.md has only {commands} commands with an output"
    return result


readme = source / "README.md"
written = readme.read_text(encoding="utf-8").splitlines()
current = with_outputs(written)
if sys.argv[3:] == ["update"]:
    readme.write_text("\n".join(current) + "\n", encoding="utf-8")
    sys.exit()
difference = list(difflib.unified_diff(written, current, "README.md", "printed now", lineterm=""))
if difference:
    difference.append(f"'{sys.argv[0]} MANACTL SOURCE_DIR update' rewrites the outputs; read the difference")
print("\n".join(difference) or "README.md: outputs as expected")
sys.exit(1 if difference else 0)
