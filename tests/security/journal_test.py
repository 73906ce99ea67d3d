# SPDX-License-Identifier: MIT
"""Journals with valid checksums but hostile contents: escapes in every field, paths that lead elsewhere, cuts at every place."""
import json

from attack import Attack, changed, main, paths_in
from hugepages import JOURNAL, PAGES, PREPARE, journal_files, mount_pool, pages, set_pages

EVIL = "\x1b]0;title\x07\x1b[31m\x7f\r\n\u009b2J"


def setUpModule():
    mount_pool()


def checksum(text):
    """FNV-1a with 64 bits, as in src/setup/journal.cpp."""
    value = 0xcbf29ce484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return f"{value:016x}"


def line_of(record):
    text = json.dumps(record)
    return f"{checksum(text)} {text}\n"


class Journal(Attack):
    def setUp(self):
        super().setUp()
        set_pages(0)
        for file in journal_files():
            file.unlink()
        self.assert_exit(0, self.run_manactl(*PREPARE))
        (self.file,) = journal_files()
        self.good = self.file.read_text()
        self.records = [json.loads(line.partition(" ")[2]) for line in self.good.splitlines()]

    def write(self, text):
        JOURNAL.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.file.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.file.chmod(0o600)
        set_pages(PAGES)

    def write_records(self, records):
        self.write("".join(map(line_of, records)))

    def read(self, *commands):
        """Runs commands that read the journal. Each ends as documented, in plain text."""
        outcomes = []
        for command in commands or (("status",), ("status", "--json"), ("restore", "--all")):
            outcome = self.run_manactl(*command)
            self.assertIn(outcome.code, (0, 5, 7), outcome)
            self.assert_plain(outcome)
            self.assertNotIn("internal error", outcome.err)
            outcomes.append(outcome)
        return outcomes

    def test_the_checksum_of_this_test_is_right(self):
        self.write_records(self.records)
        self.assertEqual(self.read()[-1].code, 0)
        self.assertEqual(pages(), 0)
        self.assertFalse(self.file.exists())

    def test_escapes_in_every_field_are_printed_as_text(self):
        shown = 0
        for number, record in enumerate(self.records):
            for path in paths_in(record):
                with self.subTest(record=number, path=path):
                    self.write_records([*self.records[:number], changed(record, [path], EVIL), *self.records[number + 1:]])
                    shown += sum("title" in outcome.out for outcome in self.read(("status", "-v"), ("restore", "--all")))
        self.write_records([changed(self.records[0], [("steps", 0, "title")], EVIL), *self.records[1:]])
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
            for path in paths_in(self.records[0]):
                with self.subTest(path=path, value=value):
                    self.write_records([changed(self.records[0], [path], value), *self.records[1:]])
                    self.read(("restore", "--all"))

    def test_a_cut_never_loses_pages_silently(self):
        """After each cut, restore either removes the pages or keeps the entry and fails."""
        for size in range(0, len(self.good), 13):
            for tail in ("", "\0\n"):
                with self.subTest(size=size, tail=tail):
                    self.write(self.good[:size] + tail)
                    outcome = self.read(("restore", "--all"))[0]
                    kept = pages() == PAGES
                    self.assertIn((outcome.code, kept), ((0, False), (7, True), (7, False)), outcome)
                    self.assertTrue(self.file.exists() or not kept, outcome)

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
