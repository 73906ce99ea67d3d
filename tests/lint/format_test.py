#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""format_test.py ROOT: checks that clang-format 19 changes no C++ file. The output of other releases differs.

The kernel modules below tests/azure/kernel follow the style of the kernel.
"""
import pathlib
import re
import shutil
import subprocess
import sys

tool = shutil.which("clang-format-19") or shutil.which("clang-format")
if tool is None:
    sys.exit("clang-format 19 is missing: apt-get install clang-format-19")
version = subprocess.run([tool, "--version"], text=True, capture_output=True).stdout
if not re.search(r"version 19\.", version):
    sys.exit(f"clang-format 19 is required, found {version.strip()}: apt-get install clang-format-19")

root = pathlib.Path(sys.argv[1])
files = [f for folder in ("src", "tests", "bench") for f in root.glob(f"{folder}/**/*") if f.suffix in (".h", ".cpp")
         and "tests/azure/kernel" not in str(f)]
if not files:
    sys.exit(f"no sources below {root}")
sys.exit(subprocess.run([tool, "--dry-run", "-Werror", *sorted(files)]).returncode)
