#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench_rows.py MANACTL SOURCE_DIR: without -v, bench fits one screen in every mode, and the live view has disappeared.

The screen is a terminal with 80 columns. A pipe gets the same text, with each row on one line.
"""
import fcntl
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import textwrap

ROWS, COLUMNS = 16, 80
OF_SIM = re.compile("port |        received|Injected faults|No contract")  # rows that sim prints after those of bench
program, source = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
failures = []


def read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # EIO: the program has closed the terminal
        return b""


def on_terminal(words, results):
    """Returns the bytes that the program writes to a terminal."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 100, COLUMNS, 0, 0))
    environment = {"LC_ALL": "C.UTF-8", "NO_COLOR": "1", "TERM": "xterm", "MANACTL_RESULTS": results}
    with subprocess.Popen([program, *words], stdin=subprocess.DEVNULL, stdout=follower, stderr=follower,
                          env=environment) as process:
        os.close(follower)
        output = b""
        while block := read(leader):
            output += block
    os.close(leader)
    text = output.decode()
    if process.returncode != (1 if "bench: no packet was" in text else 0):
        failures.append(f"{' '.join(words)}: exit status {process.returncode}")
    return text


def screen_of(output):
    """The rows that remain on the screen, for the escape sequences that the live view uses."""
    rows, row = [""], 0
    for token in re.findall(r"\x1b\[\d*[A-Z]|\r|\n|[^\x1b\r\n]+", output):
        if token == "\n":
            row += 1
            rows += [""] * (row + 1 - len(rows))
        elif token.startswith("\x1b"):
            count, command = token[2:-1], token[-1]
            if command == "A":
                row -= int(count)
            elif command == "J":
                rows[row:] = [""]
            else:
                assert command == "K", repr(token)
        elif token != "\r":
            rows[row] = token
    return [line[i:i + COLUMNS] for line in rows if not OF_SIM.match(line) for i in range(0, len(line), COLUMNS)]


def wrapped(text):
    """The rows of a pipe's lines on a screen: labels keep their column."""
    rows = []
    for line in text.splitlines():
        if OF_SIM.match(line):
            continue
        indent = 22 if re.match(r"  \S.{19} ", line) and not re.match(r"  (Note|Noisy)", line) else 2
        rows += textwrap.wrap(line, COLUMNS, subsequent_indent=" " * indent, break_on_hyphens=False)
    return rows


def require(words, is_live=True):
    with tempfile.TemporaryDirectory() as results:
        output = on_terminal(words, results)
        rows = screen_of(output)
    if is_live and "\x1b[" not in output:
        failures.append(f"{' '.join(words)}: there is no live view")
    fragments = [row for row in rows if row.startswith(("[", "queues in", "round ")) or "so far" in row]
    if fragments:
        failures.append(f"{' '.join(words)}: the live view is still there: {fragments}")
    piped = subprocess.run([program, *words], capture_output=True, text=True, check=False,
                           env={"LC_ALL": "C.UTF-8", "MANACTL_NO_SAVE": "true"})
    for name, found in (("a terminal", rows), ("a pipe", wrapped(piped.stdout))):
        if len(found) > ROWS or not found:
            failures.extend([f"{' '.join(words)}: {len(found)} rows on {name}, not 1 to {ROWS}:", *found])


TIMES = ["--duration", "100ms", "--interval", "20ms"]
VDEVS = ["--no-huge", "--vdev", "net_ring0", "--vdev", "net_ring1"]
schema = json.loads((source / "schemas/bench.schema.json").read_text(encoding="utf-8"))
modes = schema["definitions"]["plan"]["properties"]["mode"]["enum"]
assert len(modes) > 4, modes
for mode in modes:
    require(["bench", "--sim", "--mode", mode, *TIMES])
    require(["bench", "--sim", "--mode", mode, "--queues", "8", "--repeat", "3", *TIMES])
    require(["bench", *VDEVS, "--mode", mode, "--queues", "4", "--repeat", "2", *TIMES])
for mode in ("txrx", "rtt"):
    require(["bench", "--sim", "--mode", mode, "--find", "ndr,pdr,pdr=1%,pdr=2%,pdr=3%,pdr=4%,pdr=5%,pdr=6%", *TIMES])
    require(["bench", *VDEVS, "--mode", mode, "--find", "ndr", *TIMES])
    require(["bench", *VDEVS, "--mode", mode, "--queues", "4", "--rate", "1000000000pps", *TIMES])
    for fault in ("rx=drop,every=10", "doorbell=lost", "cq=overrun"):
        require(["sim", "--fault", fault, "--backend", "loopback", "--", program, "bench", "--mode", mode, "--repeat",
                 "3", *TIMES])
require(["bench", "ab", "--rounds", "6", "--", "--sim", "--size", "128", *TIMES, "--", "--queues", "2", "--burst", "8",
         "--flows", "4", "--", "--queues", "4", "--burst", "16", "--flows", "8"])
print("\n".join(failures) or "every mode of bench fits one screen")
sys.exit(1 if failures else 0)
