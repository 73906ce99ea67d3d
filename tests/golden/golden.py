#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the output of check, doctor, status, args, prepare, decode and bench with tests/golden, or updates tests/golden.

usage: golden.py compare|update MANACTL SOURCE_DIR

With --root, check and doctor do not judge the DPDK that is built in. check fits a screen; the others may take as many
rows as LIMITS states.
"""

import difflib
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import termios

mode, program, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
ROWS, COLUMNS = 24, 80  # of a screen
# doctor lists the evidence and the commands of the best remedy, and "status -v" each detail.
LIMITS = {"doctor": 27, "status": ROWS, "status-v": 32, "prepare": ROWS, "args": ROWS, "decode": ROWS}
failures = []


def rows_on_screen(words):
    """Returns the output on a terminal of 80 columns, which breaks longer lines into rows."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    with subprocess.Popen([program, *words], stdout=follower, stderr=follower, cwd=source,
                          env={"LC_ALL": "C.UTF-8", "TERM": "dumb"}):
        os.close(follower)
        text = b""
        while piece := read_terminal(leader):
            text += piece
    os.close(leader)
    return [row for line in text.decode().splitlines() for row in [line[i:i + COLUMNS] for i in
                                                                   range(0, len(line), COLUMNS)] or [""]]


def read_terminal(leader):
    try:
        return os.read(leader, 65536)
    except OSError:  # the program has closed the terminal
        return b""


def require_rows(name, words, limit):
    rows = rows_on_screen(words)
    if len(rows) > limit:
        failures.extend([f"{name} prints {len(rows)} rows, more than {limit}:", *rows])


def output_of(*words):
    ran = subprocess.run([program, *words], capture_output=True, text=True, check=False,
                         cwd=source, env={"LC_ALL": "C.UTF-8"})
    text = ran.stdout + ran.stderr
    text = re.sub(r'"manactl": "[0-9.]+"', '"manactl": "VERSION"', text)
    return text + ("" if "--json" in words else f"exit {ran.returncode}\n")


def compare_or_write(path, text):
    written.add(path.relative_to(golden))
    if re.search(r"\bdocs/", text):
        failures.append(f"{path} refers to docs/, which is not installed")
    if mode == "update":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return
    expected = path.read_text() if path.exists() else ""
    if expected != text:
        failures.extend(difflib.unified_diff(expected.splitlines(), text.splitlines(), str(path),
                                             "printed now", lineterm=""))


golden = source / "tests/golden"
written = set()
commands = {}
for tree in sorted(f.name for f in (source / "tests/fixtures").iterdir() if (f / "SOURCE").exists()):
    root = f"--root=tests/fixtures/{tree}"
    commands[f"machines/{tree}/check"] = ["check", root]
    commands[f"machines/{tree}/doctor"] = ["doctor", root]
    whole_path = f"--root={(source / 'tests/fixtures' / tree).resolve()}"
    for words in ([root], [whole_path], ["--for", "kernel", root], ["--for", "dpdk", root]):
        require_rows(f"check {' '.join(words)}", ["check", *words], ROWS)
    require_rows(f"doctor for {tree}", ["doctor", root], LIMITS["doctor"])
for tree in ("healthy-two-nics", "hugepages-wrong-node", "image-rhel-10-0-arm64-64k", "image-ubuntu-24-04-arm64",
             "mana-direct", "not-azure", "prepared-uio", "ssh-on-dpdk-nic", "vf-missing", "vf-unpaired"):
    root = f"--root=tests/fixtures/{tree}"
    commands[f"machines/{tree}/status"] = ["status", root]
    commands[f"machines/{tree}/status-v"] = ["status", "-v", root]
    commands[f"machines/{tree}/prepare"] = ["prepare", "eth1", "--dry-run", root]
for reader in ("eal", "ovs", "suricata", "vpp", "spdk", "env"):
    commands[f"machines/prepared-uio/args-{reader}"] = ["args", "--for", reader, "--root=tests/fixtures/prepared-uio"]
for tree in ("healthy-two-nics", "prepared-uio"):
    commands[f"machines/{tree}/args"] = ["args", f"--root=tests/fixtures/{tree}"]
for tree in ("image-rhel-10-0-arm64-64k", "image-ubuntu-24-04-arm64"):
    commands[f"machines/{tree}/args"] = ["args", "eth1", f"--root=tests/fixtures/{tree}"]
DUMPS = {
    "doorbell": ["cq-doorbell", "0500000040000080"],
    "status": ["status", "0x105", "--explain"],
    "sge": ["sge", "00100000000000000500000040000000" * 2],
    "eqe": ["eqe", "00" * 28 + "01000000"],
    "truncated": ["cqe", "0500"],
    "unknown-kind": ["wqe", "00"],
}
for name, words in DUMPS.items():
    commands[f"decode/{name}"] = ["decode", *words]
for name, words in commands.items():
    kind = words[0] if "-v" not in words else f"{words[0]}-v"
    is_file = "--for" in words  # settings that are not read on a screen
    if kind in LIMITS and kind != "doctor" and not is_file:
        require_rows(name, words, LIMITS[kind])
# Each log without a VM, and with VMs that confirm it, contradict it or have another root cause.
VMS = {"alone": "not-azure", "healthy": "healthy-two-nics", "driver-id-19": "driver-id-19"}
for log in sorted(f.stem for f in (source / "tests/logs").glob("*.log")):
    for name, tree in VMS.items():
        commands[f"logs/{log}/{name}"] = ["doctor", f"--root=tests/fixtures/{tree}",
                                         f"--log=tests/logs/{log}.log"]
sent, received = "tests/bench/tx.json", "tests/bench/rx.json"
commands["bench/show"] = ["bench", "show", "-v", sent]
commands["bench/compare"] = ["bench", "compare", sent, sent]
commands["bench/merge"] = ["bench", "merge", sent, received]
for name, words in commands.items():
    compare_or_write(golden / f"{name}.txt", output_of(*words))
    compare_or_write(golden / f"{name}.json", output_of(*words, "--json"))
for path in golden.rglob("*"):
    if path.suffix in (".txt", ".json") and path.relative_to(golden) not in written:
        failures.append(f"{path} is not the output of any command")
if len(written) < 50:
    failures.append("the fixtures or the logs are missing")

if failures:
    failures.append("tests/golden/update rewrites the files; read the difference before committing")
print("\n".join(failures) or f"{len(commands)} outputs: text and JSON as expected")
sys.exit(1 if failures else 0)
