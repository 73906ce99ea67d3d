#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""man_page.py PAGE: prints a man page for scdoc.

The line @COMMANDS@ becomes one entry for each other page in the folder, with the text of its NAME section.
"""
import pathlib
import re
import sys


def commands(folder):
    """Yields the scdoc entry of each command."""
    for page in sorted(folder.glob("manactl-*.1.scd"), key=lambda p: p.name.removesuffix(".1.scd")):
        name = page.name.removesuffix(".1.scd")
        found = re.search(rf"^# NAME\n\n{name} - (.+)$", page.read_text(), re.M)
        if not found:
            sys.exit(f"{page}: the NAME section must be one line, '{name} - what the command does'")
        yield f"*{name}*(1)\n\t{found[1][0].upper()}{found[1][1:]}.\n"


def expand(page):
    text = page.read_text()
    return text.replace("@COMMANDS@\n", "\n".join(commands(page.parent))) if "@COMMANDS@\n" in text else text


if __name__ == "__main__":
    sys.stdout.write(expand(pathlib.Path(sys.argv[1])))
