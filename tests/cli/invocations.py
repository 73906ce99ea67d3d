#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""invocations.py check|update MANACTL SOURCE_DIR: runs the wrong invocations in invocations.txt.

Each entry is a shell command after "$ ", followed by the exit code and the first line on standard error. Without a
message, only the code follows. $F is the folder of the fixtures. Nothing may be printed on standard output, and nothing
after the message except commands that are indented. `update` rewrites the file with the results; review the difference.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys

mode, program, source = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
table = source / "tests/cli/invocations.txt"
fixtures = str(source / "tests/fixtures")
MIN_ENTRIES = 150
TIMEOUT = 20  # seconds; reached only by an invocation that is not refused
environment = {
    "PATH": f"{program.parent}:/usr/bin:/bin", "F": fixtures, "LC_ALL": "C.UTF-8", "HOME": "/nonexistent",
    "MANACTL_RESULTS": "/nonexistent/results", "MANACTL_NO_SAVE": "true",
}


def is_error_document(out):
    """With --json, an error is printed to standard output, too."""
    try:
        return json.loads(out)["schema"] == "manactl.error/1"
    except ValueError:
        return False


def run(command):
    """Returns the code and the message, and what is wrong with the output besides them."""
    # A group of its own, so that the program ends together with the shell.
    shell = subprocess.Popen(["sh", "-c", command], env=environment, stdin=subprocess.DEVNULL, cwd="/",
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = shell.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(shell.pid, signal.SIGKILL)
        return "timeout", f"it did not end within {TIMEOUT} s"
    lines = err.decode(errors="replace").replace(fixtures, "$F").splitlines()
    wrong = "it printed to standard output" if out and not is_error_document(out) else ""
    if any(line.startswith("manactl:") for line in lines[1:]):
        wrong = "it printed several errors"
    return f"{shell.returncode} {lines[0] if lines else ''}".strip(), wrong


failures, kept, commands = [], [], set()
for block in re.split(r"\n(?=\$ )", table.read_text().rstrip("\n")):
    if not block.startswith("$ "):
        kept.append(block)  # the comment at the start
        continue
    lines = block.split("\n")
    command, expected = lines[0][2:], lines[1] if len(lines) > 1 else ""
    heading = lines[2:]  # a heading of the next entries
    result, wrong = run(command)
    if wrong:
        failures.append(f"{command}: {wrong}")
    if mode == "check" and result != expected:
        failures.append(f"{command}:\n  expected {expected}\n  found    {result}")
    if command in commands:
        failures.append(f"{command} is listed twice")
    commands.add(command)
    kept.append("\n".join([f"$ {command}", result, *heading]))
if len(commands) < MIN_ENTRIES:
    failures.append(f"only {len(commands)} entries, but at least {MIN_ENTRIES} are required")
tree = json.loads(subprocess.run([program, "__commands"], check=True, capture_output=True).stdout)
for name in (command["name"] for command in tree["commands"]):
    if not any(f"manactl {name}" in command for command in commands):
        failures.append(f"no invocation of {name}")
if mode == "update":
    table.write_text("\n".join(kept) + "\n")
print("\n".join(failures) or f"{len(commands)} wrong invocations end as documented")
sys.exit(1 if failures else 0)
