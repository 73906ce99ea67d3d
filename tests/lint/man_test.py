#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that man pages, commands, options and exit codes agree.

usage: man_test.py MANACTL SOURCE_DIR
"""

import json
import pathlib
import re
import subprocess
import sys

program, source = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(source / "cmake"))
sys.dont_write_bytecode = True
import man_page

tree = json.loads(subprocess.run([program, "__commands"], check=True, capture_output=True).stdout)
failures = []


def names(options):
    return {o["name"] for o in options} | {o["short"] for o in options if "short" in o}


def page(name):
    path = source / "man" / f"{name}.1.scd"
    if not path.exists():
        failures.append(f"{path.name} is missing")
        return ""
    return man_page.expand(path)


def named_in(text):
    """Options that a page names, alone (*--json*) or in a command (*manactl doctor --bundle*)."""
    return set(re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)(?=[\*\s=\[])", re.sub(r"```.*?```", "", text, flags=re.S)))


def described_in(text):
    """Options that have a paragraph of their own in OPTIONS."""
    section = re.search(r"^# OPTIONS\n(.*?)^# ", text, re.S | re.M)
    heads = re.findall(r"^(\*-.*)\n\t", section.group(1) if section else "", re.M)
    return set(re.findall(r"\*(--?[a-z-]+)\*", "\n".join(heads)))


def check_page(name, described, known):
    text = page(name)
    for option in sorted(described - described_in(text)):
        failures.append(f"{name}.1 does not describe {option}")
    for option in sorted(described_in(text) - described):
        failures.append(f"{name}.1 describes {option}, which does not exist")
    for option in sorted(named_in(text) - known):
        failures.append(f"{name}.1 names {option}, which does not exist")


def check_exit_codes():
    enum = re.search(r"enum class Exit \{(.*?)\}", (source / "src/cli/exit.h").read_text(), re.S)
    coded = [int(number) for number in re.findall(r"= (\d+)", enum.group(1))]
    section = re.search(r"^# EXIT STATUS\n(.*?)^# ", page("manactl"), re.S | re.M).group(1)
    described = [int(number) for number in re.findall(r"^(?:\[\[|\|) +\*(\d+)\*$", section, re.M)]
    if coded != described:
        failures.append(f"exit codes: {coded} in exit.h, {described} in manactl.1")


def check_form(name):
    """Reports the warnings of mandoc, except for the empty paragraph that scdoc writes after each heading."""
    made = subprocess.run(["scdoc"], input=page(name).encode(), check=True, capture_output=True)
    found = subprocess.run(["mandoc", "-Tlint", "-W", "warning"], input=made.stdout, capture_output=True)
    for line in found.stdout.decode().splitlines():
        if "skipping paragraph macro: PP" not in line:
            failures.append(f"{name}.1: {line}")


def check_variables():
    """If one environment variable sets an option of several commands, all of them must accept a common value."""
    first = {}
    for command in tree["commands"]:
        for option in command["options"]:
            words = set(option.get("type", "").split("|"))
            name, known = first.setdefault(option["variable"], (command["name"], words))
            if not words & known:
                failures.append(f"{option['variable']} sets {option['name']} of {name} and of {command['name']}, "
                                "which accept no common value")


check_variables()
for command in tree["commands"]:
    command["name"] = command["name"].replace(" ", "-")
everything = names(tree["options"]).union(*(names(c["options"]) for c in tree["commands"]))
# Options of other programs in the text; "-" is standard input.
foreign = {"-"}
check_page("manactl", names(tree["options"]), everything | foreign)
listed = re.findall(r"^\*manactl-([a-z-]+)\*\(1\)\n\t", page("manactl"), re.M)
if listed != sorted(command["name"] for command in tree["commands"]):
    failures.append(f"manactl.1 lists the pages of these commands: {', '.join(listed)}")
for command in tree["commands"]:
    own = names(command["options"])
    check_page(f"manactl-{command['name']}", own, own | names(tree["options"]) | foreign)
    words = [*command["name"].split("-"), "--help"]
    text = subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout
    for option in names(tree["options"]):  # the help of a command omits those that it refuses
        if option in text and f"*{option}*" not in page(f"manactl-{command['name']}"):
            failures.append(f"manactl-{command['name']}.1 does not name {option}")
usage = re.findall(r'"  ((?:-[a-z], )?--[a-z-]+)', (source / "src/device/options.cpp").read_text())
own = {"--help"}.union(*(words.split(", ") for words in usage))
check_page("mana-device", own, own)
check_exit_codes()
for name in ["manactl", "mana-device"] + [f"manactl-{c['name']}" for c in tree["commands"]]:
    check_form(name)

print("\n".join(failures) or "man pages, commands and exit codes agree")
sys.exit(1 if failures else 0)
