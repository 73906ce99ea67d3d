# SPDX-License-Identifier: MIT
"""Text of others on terminals and in reports: escapes, characters that change the direction of text, XSS, CSV formulas."""
import copy
import json
import re
import resource
import shutil

from attack import ROOT, Attack, main
from bombs import HEALTHY, result

EVIL = "\x1b]0;title\x07\x1b[31m\x9b2J‮gnp.exe⁧‎؜﻿\u2028\u2029<script>alert(1)</script>\"'><img src=x onerror=a>&\r"
# C0 controls except tab and newline, DEL, C1 controls, and characters that change direction, break lines or are invisible.
FORBIDDEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
KEPT = {"schema"}  # a result with another schema is rejected


def strings_in(node, path=()):
    """Yields the path of each string of a JSON document."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        if isinstance(child, str) and key not in KEPT:
            yield (*path, key)
        yield from strings_in(child, (*path, key))


def replace(document, path, value):
    for key in path[:-1]:
        document = document[key]
    document[path[-1]] = value


class Text(Attack):
    def assert_clean(self, outcome):
        for text in (outcome.out, outcome.err):
            self.assertIsNone(FORBIDDEN.search(text), outcome)

    def show(self, document, *options):
        file = self.folder / "result.json"
        file.write_text(json.dumps(document))
        return self.run_manactl("bench", "show", file, *options)

    def poisoned_result(self):
        """A result with EVIL in every text field that accepts it. The other fields give one line on stderr."""
        document, poisoned = result(), 0
        for path in list(strings_in(document)):
            candidate = copy.deepcopy(document)
            replace(candidate, path, EVIL)
            outcome = self.show(candidate)
            self.assert_clean(outcome)
            if outcome.code == 0:
                document, poisoned = candidate, poisoned + 1
            else:
                self.assert_exit(2, outcome)
                self.assert_one_line(outcome)
        self.assertGreater(poisoned, 10)
        return document

    def test_results_in_every_format(self):
        document = self.poisoned_result()
        for output in ("table", "json", "ndjson", "csv", "html"):
            outcome = self.show(document, "-o", output, "-v")
            self.assert_exit(0, outcome)
            self.assert_clean(outcome)
            if output == "html":
                self.assertNotIn("<script>alert", outcome.out)
                self.assertNotIn("<img", outcome.out)
            if output == "csv":
                cells = {cell for line in outcome.out.splitlines()[1:] for cell in line.split(",")}
                self.assertFalse([cell for cell in cells if not re.fullmatch(r"[0-9.e+-]+", cell)], outcome)

    def test_comparison(self):
        file = self.folder / "a.json"
        file.write_text(json.dumps(self.poisoned_result()))
        for output in ("table", "json", "html"):
            outcome = self.run_manactl("bench", "compare", file, file, "-o", output)
            self.assert_exit(0, outcome)
            self.assert_clean(outcome)
            if output == "html":
                self.assertNotIn("<script>alert", outcome.out)

    def captured(self):
        tree = self.folder / "tree"
        shutil.copytree(HEALTHY, tree, symlinks=True)
        return tree

    def test_every_field_of_a_captured_system(self):
        tree = self.captured()
        for file in sorted((tree / "manactl").iterdir()):
            original = file.read_text()
            document = json.loads(original)
            for path in strings_in(document):
                replace(document, path, EVIL)
                file.write_text(json.dumps(document))
                for command in (("check", "-v"), ("status",)):
                    outcome = self.run_manactl("--root", tree, *command)
                    self.assert_clean(outcome)
                document = json.loads(original)
            file.write_text(original)

    def test_every_text_of_a_captured_system_in_json(self):
        tree = self.captured()
        for file in (tree / "etc/os-release", tree / "proc/mounts", tree / "sys/class/dmi/id/chassis_asset_tag"):
            if file.exists():
                file.write_text(EVIL.replace("\r", "") + "\nID=" + EVIL)
        for command in (("check",), ("check", "--json"), ("doctor",), ("doctor", "--json"), ("status", "--json")):
            self.assert_clean(self.run_manactl("--root", tree, *command))

    def test_logs(self):
        log = self.folder / "log"
        log.write_text(f"EAL: Error {EVIL.strip()} - failed\nmana_probe(): cannot {EVIL.strip()}\n")
        for options in (("--json",), ("-v",)):  # these print the lines of the log
            outcome = self.run_manactl("doctor", "--log", log, *options)
            self.assertIn("failed", outcome.out)
            self.assert_clean(outcome)

    def test_arguments_and_file_names(self):
        for words in (("bench", "show", EVIL), ("check", EVIL), ("decode", EVIL, "00"), ("--root", EVIL, "check"), (EVIL,),
                      ("doctor", "--log", EVIL), ("check", "--" + EVIL), ("--root", EVIL + "/x", "doctor")):
            outcome = self.run_manactl(*words)
            self.assertNotEqual(outcome.code, 0)
            self.assert_one_line(outcome)
            self.assert_clean(outcome)

    def test_a_stack_of_64_kib_is_enough(self):
        tree = self.captured()
        chain = json.loads((tree / "manactl/links.json").read_text())
        for i in range(1000, 3000):
            chain["links"].append({**chain["links"][0], "index": i, "name": f"v{i}", "kind": "vlan", "lower": i + 1})
        deep = self.folder / "deep.json"
        deep.write_text("[" * 60 + "]" * 60)
        log = self.folder / "log"
        log.write_text("EAL: Error - " + "x" * 100000 + " failed\n")
        for words in (("--version",), ("--help",), ("check", "--root", tree), ("doctor", "--root", tree, "--log", log),
                      ("status", "--root", tree), ("bench", "show", ROOT / "tests/bench/tx.json", "-o", "html"),
                      ("bench", "show", deep), ("decode", "--list"), ("doctor", "--log", log),
                      ("doctor", "--root", tree, "--bundle", self.folder / "bundle.tar.gz", "--scrub"),
                      ("doctor", "--root", self.folder / "bundle.tar.gz"), ("prepare", "--dry-run", "--root", tree)):
            outcome = self.run_manactl(*words, limits=[(resource.RLIMIT_STACK, 64 << 10)])
            self.assertIn(outcome.code, range(0, 8), (words, outcome))
        (tree / "manactl/links.json").write_text(json.dumps(chain))
        outcome = self.run_manactl("check", "--root", tree, limits=[(resource.RLIMIT_STACK, 64 << 10)])
        self.assertIn(outcome.code, range(0, 8), outcome)


main()
