#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""format_test.py ROOT: every C++ file is as clang-format 14 writes it. Other releases differ in details.

The kernel modules below tests/azure/kernel keep to the kernel's style.
"""
import pathlib
import re
import shutil
import subprocess
import sys

tool = shutil.which("clang-format-14") or shutil.which("clang-format")
if tool is None:
    sys.exit("clang-format 14 is missing: apt-get install clang-format-14")
version = subprocess.run([tool, "--version"], text=True, capture_output=True).stdout
if not re.search(r"version 14\.", version):
    sys.exit(f"clang-format 14 is needed, here is {version.strip()}: apt-get install clang-format-14")

root = pathlib.Path(sys.argv[1])
files = [f for room in ("src", "tests", "bench") for f in root.glob(f"{room}/**/*") if f.suffix in (".h", ".cpp")
         and "tests/azure/kernel" not in str(f)]
if not files:
    sys.exit(f"no sources below {root}")
sys.exit(subprocess.run([tool, "--dry-run", "-Werror", *sorted(files)]).returncode)
