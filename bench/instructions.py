# SPDX-License-Identifier: MIT
"""Counts the user instructions of a command with perf; without hardware counters, with callgrind."""

import re
import shutil
import subprocess
import sys


class Perf:
    name = "perf stat -e instructions:u"
    command = ["perf", "stat", "-x,", "-e", "instructions:u"]
    count = re.compile(r"^(\d+),", re.M)


class Callgrind:
    name = "callgrind (this machine has no performance counters)"
    command = ["valgrind", "--tool=callgrind", "--fair-sched=yes", "--trace-children=yes",
               "--callgrind-out-file=/dev/null"]
    count = re.compile(r"Collected : (\d+)")


def counter():
    if shutil.which("perf"):
        probe = subprocess.run([*Perf.command, "true"], capture_output=True, text=True, check=False)
        if Perf.count.search(probe.stderr):
            return Perf
    if shutil.which("valgrind"):
        return Callgrind
    sys.exit("neither hardware counters for perf nor valgrind are available: install valgrind")


def counted(how, stderr):
    """The instructions of the command and its children; 0 if nothing was counted."""
    return sum(int(count) for count in how.count.findall(stderr))
