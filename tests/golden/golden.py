#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what `check` and `doctor` say with tests/golden, or writes it anew.

usage: golden.py compare|update MANACTL SOURCE_DIR

Of check the group dpdk is left out: it speaks of the DPDK inside the program, which differs by
build. doctor shows failures only, and that group never fails for what is inside.
"""

import difflib
import pathlib
import re
import subprocess
import sys

mode, program, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
GROUPS = "hardware,interfaces,kernel,rdma,memory"
failures = []


def verdict(match):
    """The verdict on one line, less its count of warnings, which has the group dpdk in it, too."""
    return re.sub(r" \([^()]*: see 'manactl check'\)", "", " ".join(match[0].splitlines()))


def run(*words):
    ran = subprocess.run([program, *words], capture_output=True, text=True, check=False,
                         cwd=source, env={"LC_ALL": "C.UTF-8"})
    text = ran.stdout + ran.stderr
    text = re.sub(r'"manactl": "[0-9.]+"', '"manactl": "VERSION"', text)
    text = re.sub(r"^No cause found:.*(\n(?!Note:)\S.*)*", verdict, text, flags=re.MULTILINE)
    return text + ("" if "--json" in words else f"exit {ran.returncode}\n")


def hold(path, text):
    written.add(path.relative_to(golden))
    if mode == "update":
        path.parent.mkdir(exist_ok=True)
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
    commands[f"check/{tree}"] = ["check", "--only", GROUPS, root]
    commands[f"doctor/{tree}"] = ["doctor", root]
# Each log alone, and with a VM that confirms it, contradicts it or has another root.
VMS = {"alone": "not-azure", "healthy": "healthy-two-nics", "driver-id-19": "driver-id-19"}
for log in sorted(f.stem for f in (source / "tests/logs").glob("*.log")):
    for name, tree in VMS.items():
        commands[f"log/{log}.{name}"] = ["doctor", f"--root=tests/fixtures/{tree}",
                                         f"--log=tests/logs/{log}.log"]
sent, received = "tests/bench/tx.json", "tests/bench/rx.json"
commands["bench/show"] = ["bench", "show", "-v", sent]
commands["bench/compare"] = ["bench", "compare", sent, sent]
commands["bench/merge"] = ["bench", "merge", sent, received]
for name, words in commands.items():
    hold(golden / f"{name}.txt", run(*words))
    hold(golden / f"{name}.json", run(*words, "--json"))
for path in golden.rglob("*"):
    if path.suffix in (".txt", ".json") and path.relative_to(golden) not in written:
        failures.append(f"{path} belongs to nothing that is printed")
if len(written) < 50:
    failures.append("the fixtures or the logs are missing")

if failures:
    failures.append("tests/golden/update writes them anew; read the difference before committing")
print("\n".join(failures) or f"{len(commands)} answers: text and JSON as expected")
sys.exit(1 if failures else 0)
