# SPDX-License-Identifier: MIT
"""Journals with valid checksums but hostile contents: escapes in every field, paths that lead elsewhere, cuts at every place."""
import json
import pathlib
import re
import subprocess

from attack import Attack, main

POOL = pathlib.Path("/sys/devices/system/node/node0/hugepages/hugepages-2048kB")
JOURNAL = pathlib.Path("/var/lib/manactl/journal")
PAGES = 4
EVIL = "\x1b]0;title\x07\x1b[31m\x7f\r\n\u009b2J"
CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]")


def setUpModule():
    """Makes the hugepage pool plain files, for this mount namespace only."""
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", POOL], check=True)


def checksum(text):
    """FNV-1a with 64 bits, as in src/setup/journal.cpp."""
    value = 0xcbf29ce484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return f"{value:016x}"


def line_of(record):
    text = json.dumps(record)
    return f"{checksum(text)} {text}\n"


def places(node, path=()):
    """Yields the path of each value of a JSON document."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield (*path, key)
        yield from places(child, (*path, key))


def changed(record, path, value):
    record = json.loads(json.dumps(record))
    node = record
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return record


class Journal(Attack):
    def setUp(self):
        super().setUp()
        for name in ("nr_hugepages", "free_hugepages"):
            (POOL / name).write_text("0\n")
        for file in JOURNAL.iterdir() if JOURNAL.is_dir() else ():
            file.unlink()
        self.assert_exit(0, self.run_manactl("prepare", "--hugepages", PAGES))
        (self.file,) = JOURNAL.iterdir()
        self.good = self.file.read_text()
        self.records = [json.loads(line.partition(" ")[2]) for line in self.good.splitlines()]

    def pages(self):
        return int((POOL / "nr_hugepages").read_text())

    def write(self, text):
        JOURNAL.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.file.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.file.chmod(0o600)
        (POOL / "nr_hugepages").write_text(f"{PAGES}\n")

    def write_records(self, records):
        self.write("".join(map(line_of, records)))

    def read(self, *commands):
        """Runs commands that read the journal. Each ends as documented, in plain text."""
        outcomes = []
        for command in commands or (("status",), ("status", "--json"), ("restore", "--all")):
            outcome = self.run_manactl(*command, timeout=20)
            self.assertIn(outcome.code, (0, 5, 7), outcome)
            self.assertIsNone(CONTROLS.search(outcome.out + outcome.err), outcome)
            self.assertNotIn("internal error", outcome.err)
            outcomes.append(outcome)
        return outcomes

    def test_the_checksum_of_this_test_is_right(self):
        self.write_records(self.records)
        self.assertEqual(self.read()[-1].code, 0)
        self.assertEqual(self.pages(), 0)
        self.assertFalse(self.file.exists())

    def test_escapes_in_every_field_are_printed_as_text(self):
        shown = 0
        for number, record in enumerate(self.records):
            for path in places(record):
                with self.subTest(record=number, path=path):
                    self.write_records([*self.records[:number], changed(record, path, EVIL), *self.records[number + 1:]])
                    shown += sum("title" in outcome.out for outcome in self.read(("status",), ("restore", "--all")))
        self.write_records([changed(self.records[0], ("steps", 0, "title"), EVIL), *self.records[1:]])
        self.assertIn("title", self.read(("status", "--json"))[0].out)
        self.assertGreater(shown, 3)

    def test_escapes_in_a_file_name_are_printed_as_text(self):
        name = JOURNAL / "\x1b]0;title\x07.jsonl"
        name.write_text(self.good)
        name.chmod(0o600)
        self.assertIn("title", self.read(("status",), ("restore", "--all"))[1].out)
        name.unlink(missing_ok=True)

    def test_wrong_types_in_every_field_end_in_an_error(self):
        for value in (None, [], 1 << 70):
            for path in places(self.records[0]):
                with self.subTest(path=path, value=value):
                    self.write_records([changed(self.records[0], path, value), *self.records[1:]])
                    self.read(("restore", "--all"))

    def test_a_cut_never_loses_pages_silently(self):
        """After each cut, restore either removes the pages or keeps the entry and fails."""
        for size in range(0, len(self.good), 13):
            for tail in ("", "\0\n"):
                with self.subTest(size=size, tail=tail):
                    self.write(self.good[:size] + tail)
                    outcome = self.read(("restore", "--all"))[0]
                    kept = self.pages() == PAGES
                    self.assertIn((outcome.code, kept), ((0, False), (7, True), (7, False)), outcome)

    def test_repeated_and_unknown_records_do_no_harm(self):
        begin, *rest = self.records
        cases = {
            "twice": [begin, *rest, *rest],
            "opened twice": [begin, begin, *rest],
            "steps that do not exist": [begin, *({"record": "done", "step": step, "after": {}} for step in (99, 1 << 31, 1 << 63)), *rest],
            "unknown": [begin, {"record": "future", "step": 0}, *rest],
            "many": [begin, *rest * 3000],
        }
        for name, records in cases.items():
            with self.subTest(name):
                self.write_records(records)
                for outcome in self.read():
                    self.assert_small(outcome)


if __name__ == "__main__":
    main()
