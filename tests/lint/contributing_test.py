#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""contributing_test.py ROOT | --self-test: compares the lists of files in CONTRIBUTING.md with the sources.

The numbered items of a section "Add a ..." name files before their colon, the items "* If ..." after it.
Existing checks, modes, engines and commands are the examples: every listed file must exist for them, and no
other file may name them. A list that exceeds its limit is an error, too.
"""
import pathlib
import re
import sys
import tempfile
from typing import NamedTuple

# Of `tests`, only tests/lint is included, because a new mode or command requires no change of tests that name
# another one. lists_of_names() searches all of `tests`.
FOLDERS = ["src", "cmake", "completions", "data", "deploy", "docs", "man", "schemas", "scripts", "tests/lint"]
SELF = "tests/lint/contributing_test.py"


class Example(NamedTuple):
    section: str
    names: dict  # the values of placeholders such as <name>; other placeholders match any text
    pattern: str  # matches the text of files that name the example
    folders: list = FOLDERS
    shared: dict = {}  # key: a file that the list requires; value: the file that the example shares with others instead


def check(name):
    return Example("a check", {"group": name.split(".")[0]}, rf"\b{re.escape(name)}\b", [*FOLDERS, "tests"])


def mode(name):
    return Example("a mode", {"name": name}, rf'Mode::{name}\b|"{name}"|\bmode_{name}\b|\b_{name}_\b|\|{name}\b')


def engine(name):
    return Example("an engine", {"name": name}, rf"k{name.title()}Engine|datapath(/|_|::){name}\b|\|{name}\b")


def command(name, folder, shared={}):
    pattern = rf'\b(add|cmd)_{name}\b|manactl-{name}\b|Command\{{\s*"{name}"'
    return Example("a command", {"name": name, "folder": folder}, pattern, FOLDERS, shared)


EXAMPLES = [
    check("hardware.coexistence"), check("rdma.rights"),
    Example("a check", {"group": "rdma"}, r"Result<Limits>|gather_limits"),  # a fact
    mode("fwd"), engine("verbs"), command("decode", "decode"),
    command("status", "setup", {"tests/cli/cmd_status_test.cpp": "tests/cli/cmd_setup_test.cpp"}),
]
# For each section: a pattern, and how many files with a matching path the numbered items may list.
LIMITS = {
    "a check": (r"src/", 3), "a mode": (r"", 6), "an engine": (r"(?!src/datapath/<name>/)", 4),
    "a command": (r"src/", 3),
}
# Source file with a table, pattern of its names, and section, which must list every file that repeats all names.
TABLES = [
    ("src/datapath/mode.h", r'\.name = "(\w+)"', "a mode"),
    ("src/cli/commands.cpp", r'Command\{\s*"(\w+)"', "a command"),
]


def section_of(text, name):
    found = re.search(rf"^## Add {name}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    items = re.split(r"^(?=\d+\. |\* )", found[1], flags=re.M)[1:] if found else []
    required, conditional = [], []
    for item in items:
        head, _, tail = item.partition("`: " if item[0] != "*" else ": ")
        is_conditional = item.startswith("* If ")
        paths = re.findall(r"`([\w<>./-]+/[\w<>./-]*)`?", tail if is_conditional else head + "`")
        (conditional if is_conditional else required).extend(paths)
    return required, conditional


def texts(root, folders):
    """Yields name and text of each file, without SEE ALSO sections, expected output and fixtures."""
    for folder in folders:
        for file in sorted((root / folder).rglob("*")):
            name = str(file.relative_to(root))
            if file.is_file() and name != SELF and not re.match(r"tests/(golden|fixtures|logs)/|.*__pycache__", name):
                yield name, re.sub(r"^# SEE ALSO\n.*", "", file.read_text(errors="replace"), flags=re.M | re.S)


def covers(paths, name):
    return any(name == path or (path.endswith("/") and name.startswith(path)) or
               ("*" in path and pathlib.PurePath(name).match(path)) for path in paths)


def wrong_example(root, example, paths):
    expanded = []
    for path in paths:
        path = re.sub(r"<(\w+)>", lambda found: example.names.get(found[1], "*"), path)
        expanded.append(example.shared.get(path, path))
    for path in expanded:
        if not list(root.glob(path)):
            yield f"{path} does not exist"
    for name, text in texts(root, example.folders):
        if not covers(expanded, name) and re.search(example.pattern, text):
            yield f"{name} names it, but is not in the list"


def is_list_of(names, text):
    """True if all N names occur in the text within 60 * N characters."""
    found = [(at.start(), word) for word in names
             for at in re.finditer(rf'"{word}"|Mode::{word}\b|manactl-{word}\b|\|{word}\b', text)]
    return any({word for at, word in found if start <= at < start + 60 * len(names)} >= set(names)
               for start, _ in found)


def lists_of_names(root, text):
    """Yields an error for each file that repeats all names of a source table but is not in the CONTRIBUTING section of this table."""
    for table, pattern, section in TABLES:
        names = re.findall(pattern, (root / table).read_text())
        required, conditional = section_of(text, section)
        if len(names) < 2:
            yield f"{table}: the names of the table cannot be read"
        for name, content in texts(root, [*FOLDERS, "tests"]):
            if is_list_of(names, content) and not covers([*required, *conditional], name):
                yield f"{name} repeats the names of {table}, but CONTRIBUTING.md does not list it"


def findings(root):
    text = (root / "CONTRIBUTING.md").read_text()
    for section, (pattern, limit) in LIMITS.items():
        required, _ = section_of(text, section)
        counted = [path for path in required if re.match(pattern, path)]
        if not required or len(counted) > limit:
            yield f"Add {section}: {len(counted)} files are listed, the limit is {limit}"
    for example in EXAMPLES:
        required, conditional = section_of(text, example.section)
        for what in wrong_example(root, example, required + conditional):
            yield f"Add {example.section}, {example.names}: {what}"
    yield from lists_of_names(root, text)


LISTS = """## Add a check
1. `src/diag/<group>_checks.cpp` and `src/host/facts.h`: text about `src/host/other.h`
* If it is shown by `src/os/system.h`: `docs/bundle.md`.
## Add a mode
1. `src/datapath/mode.h`: text
## Add an engine
1. `src/datapath/<name>/`: text
## Add a command
1. `src/cli/commands.cpp`: text
2. `tests/cli/cmd_<name>_test.cpp`: text
## Rules
1. `src/rules.h`: text
"""
GOOD = {
    "CONTRIBUTING.md": LISTS, "src/diag/hardware_checks.cpp": "hardware.coexistence", "src/diag/rdma_checks.cpp": "",
    "src/host/facts.h": "Result<Limits>", "docs/bundle.md": "", "src/datapath/verbs/engine.cpp": "kVerbsEngine",
    "src/datapath/mode.h": '.name = "fwd" .name = "tx"', "src/cli/commands.cpp": 'Command{"decode" Command{\n "status"',
    "tests/cli/cmd_decode_test.cpp": "", "tests/cli/cmd_setup_test.cpp": 'Mode::fwd "decode"',
}
CHANGES = [  # a changed file, its text (None: deleted), and the number of findings
    ("src/diag/rdma_checks.cpp", None, 2),  # one for the check and one for the fact
    ("docs/bundle.md", None, 3),
    ("src/host/gather.cpp", "gather_limits", 1),
    ("tests/other_test.cpp", "rdma.rights", 1),
    ("schemas/bench.schema.json", '"fwd"', 1),
    ("cmake/a.cmake", "manactl_datapath_verbs", 1),
    ("src/cli/CMakeLists.txt", "cmd_decode.cpp", 1),
    ("tests/cli/complete_test.cpp", '"decode" "status"', 1),
    ("tests/datapath/a_test.cpp", 'Mode::fwd Mode::tx', 1),
    ("CONTRIBUTING.md", LISTS.replace("## Add a mode", "## Modes"), 3),
    ("CONTRIBUTING.md", LISTS.replace("src/cli/commands.cpp`", "src/cli/commands.cpp`, `src/cli/`, `src/`, `src/diag/`"), 1),
]


def self_test():
    for name, text, count in [("README.md", "", 0), *CHANGES]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, content in {**GOOD, name: text}.items():
                if content is not None:
                    (root / path).parent.mkdir(parents=True, exist_ok=True)
                    (root / path).write_text(content)
            found = list(findings(root))
            if len(found) != count:
                sys.exit(f"{name}: {count} findings expected, found: {found}")


if sys.argv[1] == "--self-test":
    self_test()
else:
    wrong = list(findings(pathlib.Path(sys.argv[1])))
    print("\n".join(wrong) or "CONTRIBUTING.md lists the files of every example")
    sys.exit(1 if wrong else 0)
