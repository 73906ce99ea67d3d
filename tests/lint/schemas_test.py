#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Validates the JSON output of the program against schemas/.

usage: schemas_test.py MANACTL SOURCE_DIR
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

program, source = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []
# Not validated: commands that change the VM.
EXEMPT = {"confirm"}
validated = set()


def schema(name):
    """Returns a validator. References to other files are relative to the folder of the schemas."""
    validated.add(name)
    file = (source / "schemas" / f"{name}.schema.json").resolve()
    document = json.loads(file.read_text())
    jsonschema.Draft7Validator.check_schema(document)
    return jsonschema.Draft7Validator(document, resolver=jsonschema.RefResolver(file.as_uri(), document))


def validate(name, *words, codes=(0, 1, 3), given=""):
    validator = schema(name)
    ran = subprocess.run([program, *words, "--json"], input=given, capture_output=True, text=True,
                         check=False)
    what = "manactl " + " ".join(words)
    if ran.returncode not in codes:
        failures.append(f"{what}: exit {ran.returncode}: {ran.stderr}")
        return
    document = json.loads(ran.stdout)
    for error in validator.iter_errors(document):
        failures.append(f"{what}: {'/'.join(map(str, error.path))}: {error.message}")
    if "exit" in document and document["exit"] != ran.returncode:
        failures.append(f"{what}: exit {document['exit']} in JSON, but the exit status is {ran.returncode}")


validate("version", "--version", codes=(0,))
validate("drivers", "bench", "--list-drivers", codes=(0,))
validate("check", "check")
validate("doctor", "doctor")
for fixture in sorted((source / "tests/fixtures").iterdir()):
    if not (fixture / "SOURCE").exists():
        continue
    validate("check", "check", "--root", str(fixture))
    validate("doctor", "doctor", "--root", str(fixture))
    validate("doctor", "doctor", "--root", str(fixture), "--log", "-", codes=(0, 1),
             given="testpmd: No probed ethernet devices\nERROR: an unrecognized error\n")

healthy, taken = (str(source / "tests/fixtures" / name) for name in ("healthy-two-nics", "prepared-uio"))
validate("status", "status", codes=(0,))
validate("status", "status", "--root", taken, codes=(0,))
validate("wait", "wait", "nowhere0", "--for", "vf", "--timeout", "1ms", codes=(1,))
validate("args", "args", "eth1", "--root", healthy, codes=(0,))
validate("args", "args", "--root", taken, codes=(0,))
validate("prepare", "prepare", "eth1", "--dry-run", "--root", healthy, codes=(0,))
validate("tune", "tune", "--dry-run", "--root", str(source / "tests/fixtures/slow-settings"), codes=(0,))
validate("restore", "restore", "enP30832p0s0d1", "--dry-run", "--root", taken, codes=(0,))

validate("error", "status", "nowhere0", "--root", healthy, codes=(3,))
validate("error", "check", "--nowhere", codes=(2,))
validate("error", "doctor", "--scrub", codes=(2,))

validate("completion", "completion", "bash", codes=(0,))

validate("kinds", "decode", "--list", codes=(0,))
validate("decode", "decode", "cqe", "63010200" + "00" * 56 + "030201a1" + "00" * 64, "--explain", codes=(0,))
validate("decode", "decode", "cq-doorbell", "0500000140000080", "--lax", codes=(1,))
validate("decode", "decode", "status", "0x1234", "--explain", codes=(0,))
validate("decode", "decode", "request", "-", codes=(0,), given="""
[    1.0] mana: 00000000: 00 00 00 00 19 00 00 00 01 00 00 00 48 00 00 00  ............H...
[    1.0] mana: 00000010: 00 00 00 00 19 00 00 00 01 00 00 00 28 00 00 00  ............(...
[    1.0] mana: 00000020: 02 00 00 00 00 00 00 00 00 10 00 00 00 00 00 00  ................
[    1.0] mana: 00000030: 00 00 00 00 00 00 00 00 01 00 00 00 01 00 00 00  ................
[    1.0] mana: 00000040: 00 10 00 00 00 00 00 00                          ........
""")
for fault in ("rx=drop", "create_qp=errno:EBUSY", "alloc_pd=crash"):
    probe = subprocess.run([program, "sim", "--fault", fault, "--", program, "doctor", "--probe", "sim0", "--json"],
                           capture_output=True, check=False)
    if probe.stdout:  # empty if the library of the adapter is not built
        for error in schema("doctor").iter_errors(json.loads(probe.stdout)):
            failures.append(f"doctor --probe with {fault}: {'/'.join(map(str, error.path))}: {error.message}")
validate("sim", "sim", "--json", "--", "true", codes=(0, 1))

version = json.loads(subprocess.run([program, "--version", "--json"], check=True, capture_output=True).stdout)
if version["dpdk"]["version"]:
    words = ["bench", "--vdev", "net_null0", "--duration", "100ms", "--interval", "20ms", "--no-huge"]
    validate("bench", *words, "--no-save", codes=(0,))
    with tempfile.TemporaryDirectory() as place:
        validate("bench", *words, "--results", place, codes=(0,))
        validate("bench", "bench", "show", "--results", place, codes=(0,))

sent, received = (str(source / "tests/bench" / name) for name in ("tx.json", "rx.json"))
validate("bench", "bench", "show", sent, codes=(0,))
validate("bench-compare", "bench", "compare", sent, sent, codes=(0,))
validate("bench-merge", "bench", "merge", sent, received, codes=(0,))
with tempfile.TemporaryDirectory() as place:
    replay = pathlib.Path(place, "replay")  # prints a result instead of measuring
    replay.write_text(f"#!/bin/sh\nexec cat '{pathlib.Path(sent).resolve()}'\n")
    replay.chmod(0o700)
    saved = pathlib.Path(place, "20261121-134702-3f2a.json")
    saved.write_bytes(pathlib.Path(sent).read_bytes())
    validate("bench-list", "bench", "list", "--results", place, codes=(0,))
    validate("bench-rm", "bench", "rm", "latest", "--results", place, codes=(0,))
    if saved.exists():
        failures.append("bench rm did not remove the result")
    validate("bench-ab", "bench", "ab", "--program-a", str(replay), "--program-b", str(replay), codes=(0,))
events = subprocess.run([program, "bench", "show", sent, "-o", "ndjson"], check=True, capture_output=True)
for line in events.stdout.splitlines():
    for error in schema("bench-event").iter_errors(json.loads(line)):
        failures.append(f"event {line[:80]}: {error.message}")

# The live view of this machine, which may have no NIC, and one that tests/cli/traffic_view_test.cpp expects.
with subprocess.Popen([program, "status", "--watch", "-o", "ndjson", "--interval", "10ms"], stdout=subprocess.PIPE) as view:
    lines = [view.stdout.readline() for _ in range(2)]
    view.terminate()
    view.stdout.read()  # a closed pipe would end the program with SIGPIPE
if view.returncode != 128 + 15:
    failures.append(f"status --watch: exit {view.returncode} after SIGTERM")
for line in lines + (source / "tests/cli/status-event.ndjson").read_text().splitlines():
    for error in schema("status-event").iter_errors(json.loads(line)):
        failures.append(f"event {line[:80]}: {error.message}")

# Each other command must work without arguments on a captured VM, so that its output can be validated here.
commands = json.loads(subprocess.run([program, "__commands"], check=True, capture_output=True).stdout)["commands"]
known = {command["name"].replace(" ", "-"): command["name"].split() for command in commands}
for name in sorted(f.name.removesuffix(".schema.json") for f in (source / "schemas").iterdir()):
    if name in validated | EXEMPT:
        continue
    if name in known:
        validate(name, *known[name], "--root", healthy, codes=(0,))
    else:
        failures.append(f"{name}.schema.json: no output was validated against it")

print("\n".join(failures) or "every document follows its schema")
sys.exit(1 if failures else 0)
