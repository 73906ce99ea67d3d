#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs_test.py ROOT: what the documents name exists: links, files, and functions as `room::name`.

That docs/checks.md has a heading for every check is held by tests/diag/docs_test.cpp.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
PAGES = [*sorted(ROOT.glob("[A-Z]*.md")), *sorted(ROOT.glob("docs/*.md"))]
MOST_LINES = {"README.md": 120, "CONTRIBUTING.md": 119}
# Rooms that the documents announce. From the day on which the folder exists its files must, too.
PLANNED = ["src/wire", "src/setup", "tests/setup", "src/adapter", "src/datapath/verbs", "tests/azure"]

LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
CODE = re.compile(r"`([^`\n]+)`")
FOLDERS = "|".join(re.escape(p.name) for p in ROOT.iterdir() if p.is_dir() and p.name not in ("build", ".git"))
PATH = re.compile(rf"(?<![\w/.-])((?:{FOLDERS})/[\w./*-]*\w)(?![\w<./*-]*<)")
NAME = re.compile(r"\b((?:base|os|host|diag|datapath|cli)(?:::\w+)+)")


def is_planned(path):
    return any(path.startswith(folder) and not (ROOT / folder).exists() for folder in PLANNED)


def missing_path(path):
    return not is_planned(path) and not (list(ROOT.glob(path)) if "*" in path else (ROOT / path).exists())


def missing_name(name, texts={}):
    """A name is there when each part of it is a word of its room."""
    room, *parts = name.split("::")
    if room not in texts:
        texts[room] = "\n".join(f.read_text() for f in (ROOT / "src" / room).rglob("*.*"))
    return [part for part in parts if part != "dpdk" and not re.search(rf"\b{part}\b", texts[room])]


def wrong(page, line):
    for link in LINK.findall(line):
        if not re.match(r"[a-z]+:", link) and not (page.parent / link).exists():
            yield f"the link to '{link}' leads nowhere"
    for code in CODE.findall(line):
        for path in PATH.findall(code):
            if missing_path(path):
                yield f"there is no file '{path}'"
        for name in NAME.findall(code):
            if missing_name(name):
                yield f"there is no '{name}'"


findings = []
for page in PAGES:
    lines = page.read_text().splitlines()
    if len(lines) > MOST_LINES.get(page.name, len(lines)):
        findings.append(f"{page.name}:{len(lines)}: more than {MOST_LINES[page.name]} lines")
    for number, line in enumerate(lines, 1):
        findings += [f"{page.relative_to(ROOT)}:{number}: {what}" for what in wrong(page, line)]
print("\n".join(findings) or f"all that {len(PAGES)} pages name exists")
sys.exit(1 if findings else 0)
