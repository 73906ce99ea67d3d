#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs_test.py ROOT: checks that links, files and functions (as `module::name`) in the documents exist.

Man pages are installed without the source tree, so they refer only to other man pages and to `manactl help`.

tests/diag/docs_test.cpp checks that docs/checks.md has a heading for every check.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
PAGES = [*sorted(ROOT.glob("[A-Z]*.md")), *sorted(ROOT.glob("docs/*.md"))]
MAX_LINES = {"README.md": 120, "CONTRIBUTING.md": 119}

LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
CODE = re.compile(r"`([^`\n]+)`")
FOLDERS = "|".join(re.escape(p.name) for p in ROOT.iterdir() if p.is_dir() and p.name not in ("build", ".git"))
PATH = re.compile(rf"(?<![\w/.-])((?:{FOLDERS})/[\w./*-]*\w)(?![\w<./*-]*<)")
NAME = re.compile(r"\b((?:base|os|host|diag|setup|wire|datapath|adapter|report|cli)(?:::\w+)+)")


def missing_path(path):
    return not (list(ROOT.glob(path)) if "*" in path else (ROOT / path).exists())


def missing_name(name, texts={}):
    """Returns the parts of module::name that do not occur as a word in the sources of the module."""
    module, *parts = name.split("::")
    if module not in texts:
        texts[module] = "\n".join(f.read_text() for f in (ROOT / "src" / module).rglob("*.*"))
    return [part for part in parts if part != "dpdk" and not re.search(rf"\b{part}\b", texts[module])]


def wrong(page, line):
    for link in LINK.findall(line):
        if not re.match(r"[a-z]+:", link) and not (page.parent / link).exists():
            yield f"the link to '{link}' is broken"
    for code in CODE.findall(line):
        for path in PATH.findall(code):
            if missing_path(path):
                yield f"file '{path}' does not exist"
        for name in NAME.findall(code):
            if missing_name(name):
                yield f"'{name}' does not exist"


findings = []
SOURCE_FILE = re.compile(rf"(?<![\w/.-])(?:{FOLDERS})/\w|(?<![A-Za-z])[A-Z]+\.md")
for page in sorted(ROOT.glob("man/*.scd")):
    for number, line in enumerate(page.read_text().splitlines(), 1):
        for name in SOURCE_FILE.findall(line):
            findings.append(f"{page.relative_to(ROOT)}:{number}: '{name}' refers to the source tree")
for page in PAGES:
    lines = page.read_text().splitlines()
    if len(lines) > MAX_LINES.get(page.name, len(lines)):
        findings.append(f"{page.name}:{len(lines)}: more than {MAX_LINES[page.name]} lines")
    for number, line in enumerate(lines, 1):
        findings += [f"{page.relative_to(ROOT)}:{number}: {what}" for what in wrong(page, line)]
print("\n".join(findings) or f"all names in {len(PAGES)} pages exist")
sys.exit(1 if findings else 0)
