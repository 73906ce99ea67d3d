#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""elf_test.py FILE...: the files of the portable program need only glibc 2.28 and libgcc_s, and have at most 8 MB."""
import os
import re
import subprocess
import sys

LIBRARIES = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1",
             "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
HIGHEST = (2, 28)
BYTES = 8_000_000


def faults(text):
    """Finds what the file needs but an image may lack, in the output of readelf."""
    for library in re.findall(r"\(NEEDED\).*\[(.*)\]", text):
        if library not in LIBRARIES:
            yield f"it needs {library}"
    for symbol, version in re.findall(r" UND (\w+)@@?(\S+)", text):
        number = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", version)
        if number and tuple(map(int, number.groups())) > HIGHEST:
            yield f"{symbol} needs {version}"
        if version.startswith(("GLIBCXX_", "CXXABI_")):
            yield f"{symbol} needs {version}"


def main(files):
    # The rules themselves must find something.
    bad = " (NEEDED) Shared library: [libfmt.so.9]\n UND a@GLIBC_2.29 (3)\n UND b@GLIBCXX_3.4 (4)\n UND c@GLIBC_2.3.4 (5)"
    if len(list(faults(bad))) != 3:
        sys.exit("elf_test.py does not find what a file needs")
    status = 0
    for file in files:
        text = subprocess.run(["readelf", "-W", "-d", "--dyn-syms", file], check=True, capture_output=True, text=True).stdout
        size = os.path.getsize(file)
        too_large = [f"it has {size} bytes, more than {BYTES}"] if size > BYTES else []
        for fault in [*faults(text), *too_large]:
            print(f"{file}: {fault}")
            status = 1
    return status


sys.exit(main(sys.argv[1:]))
