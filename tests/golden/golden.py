#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what `check` says of each fixture with tests/golden, or writes it anew.

usage: golden.py compare|update MANACTL SOURCE_DIR

The group dpdk is left out: it speaks of the DPDK inside the program, which differs by build.
"""

import difflib
import pathlib
import re
import subprocess
import sys

mode, program, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
GROUPS = "hardware,interfaces,kernel,rdma,memory"
failures = []


def run(fixture, *more):
    ran = subprocess.run([program, "check", "--only", GROUPS, "--root", str(fixture), *more],
                         capture_output=True, text=True, check=False,
                         env={"LC_ALL": "C.UTF-8"})
    text = ran.stdout + ran.stderr
    return re.sub(r'"manactl": "[0-9.]+"', '"manactl": "VERSION"', text)


def hold(path, text):
    if mode == "update":
        path.write_text(text)
        return
    expected = path.read_text() if path.exists() else ""
    if expected != text:
        failures.extend(difflib.unified_diff(expected.splitlines(), text.splitlines(), str(path),
                                             "printed now", lineterm=""))


golden = source / "tests/golden"
fixtures = sorted(f for f in (source / "tests/fixtures").iterdir() if (f / "SOURCE").exists())
for fixture in fixtures:
    hold(golden / f"{fixture.name}.txt", run(fixture))
    hold(golden / f"{fixture.name}.json", run(fixture, "--json"))
known = {f.name for f in fixtures}
for path in golden.iterdir():
    if path.suffix in (".txt", ".json") and path.stem not in known:
        failures.append(f"{path} has no fixture")
if not fixtures:
    failures.append("there are no fixtures")

if failures:
    failures.append("tests/golden/update writes them anew; read the difference before committing")
print("\n".join(failures) or f"{len(fixtures)} fixtures: text and JSON as expected")
sys.exit(1 if failures else 0)
