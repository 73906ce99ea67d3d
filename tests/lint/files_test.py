#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""files_test.py ROOT: checks every file: a license line, a limited size, no unfinished work, includes of GoogleTest."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
MAX_LINES = 400
LONGER = {  # files that may be longer, and why
    "tests/fixtures/make": "describes all machines in tables, so that they can be compared side by side",
}
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|not (yet )?implemented)\b")
# Precompiled headers hide a missing include of GoogleTest. gmock.h includes gtest.h.
GTEST = re.compile(r"\b(TEST(_F|_P)?|(EXPECT|ASSERT)_[A-Z]+|MOCK_METHOD)\(")
GMOCK = re.compile(r"\b((EXPECT|ASSERT)_THAT|MOCK_METHOD)\(")
DATA = re.compile(r"tests/(fixtures/[^/]+/|logs/|golden/.*\.(txt|json)$)")


def files():
    for folder in ("src", "tests", "bench", "cmake", "scripts", "completions", "docs", "man", "deploy", "debian", "."):
        for file in ROOT.joinpath(folder).glob("*" if folder == "." else "**/*"):
            name = str(file.relative_to(ROOT))
            if file.is_file() and "__pycache__" not in name and not DATA.match(name):
                yield name, file.read_text(errors="replace").splitlines()


def included(text):
    """Returns the headers that a source includes, itself or through a header of tests."""
    names = {line.split()[1] for line in text if line.startswith("#include ")}
    for header in [ROOT / "tests" / name.strip('"') for name in names]:
        if header.is_file():
            names |= included(header.read_text().splitlines())
    return names


wrong = []
for name, text in files():
    if name.startswith("tests/azure/kernel/"):
        if "GPL-2.0" not in "".join(text[:1]) and name.endswith((".c", ".h")):
            wrong.append(f"{name}:1: a kernel module needs a GPL-2.0 license line")
        continue
    source = name.endswith((".h", ".cpp"))
    script = text and text[0].startswith("#!")
    if source and text[:1] != ["// SPDX-License-Identifier: MIT"]:
        wrong.append(f"{name}:1: the first line is not '// SPDX-License-Identifier: MIT'")
    if (script or name.endswith((".cmake", "CMakeLists.txt"))) and not any(
            "# SPDX-License-Identifier: MIT" in line for line in text[:2]):
        wrong.append(f"{name}:1: '# SPDX-License-Identifier: MIT' is missing")
    if (source or script) and len(text) > MAX_LINES and name not in LONGER:
        wrong.append(f"{name}:{len(text)}: longer than {MAX_LINES} lines")
    includes = included(text)
    joined = "\n".join(text)
    if source and (GMOCK.search(joined) and "<gmock/gmock.h>" not in includes or
                   GTEST.search(joined) and not includes & {"<gtest/gtest.h>", "<gmock/gmock.h>"}):
        wrong.append(f"{name}:1: does not include the header of its GoogleTest macros")
    for number, line in enumerate(text, 1):
        if UNFINISHED.search(line):
            wrong.append(f"{name}:{number}: unfinished: {line.strip()}")
for name in LONGER:
    if not (ROOT / name).exists():
        wrong.append(f"{name}: exempt from the size limit, but it does not exist")

print("\n".join(sorted(wrong)) or "every file follows the rules")
sys.exit(1 if wrong else 0)
