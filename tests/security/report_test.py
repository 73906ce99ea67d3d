# SPDX-License-Identifier: MIT
"""Reports that others open: XSS in HTML pages, formulas in CSV files, escapes in lists and decoded records."""
import html.parser
import json
import os
import re

from attack import CONTROLS, EVIL, MANACTL, ROOT, SHOWN, Attack, changed, main, paths_in, run

RESULTS = ROOT / "tests/bench"
FORMULAS = (EVIL, "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", '","=1', "a\n=1")
MARKUP = ("<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "</title><script>alert(1)</script>",
          "</style><style>*{}", "--><b>", "]]><b>", "</svg><b>", "</text></svg><b>", "&#60;b&#62;", "javascript:alert(1)", "<!-- <b", "\\u003cb",
          "`<b>${1}", "\x1b]0;t\x07\x9b2J\x00", EVIL)
ID = "20260101-000000-abcd"


class Page(html.parser.HTMLParser):
    """The elements of a page with the names of their attributes, and its text."""

    def __init__(self, source):
        super().__init__()
        self.elements, self.text, self.places = [], "", []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, *sorted(name for name, _ in attrs)))
        self.text += "".join(value or "" for _, value in attrs)
        self.places += [value for name, value in attrs if name in ("href", "src", "action", "style") or name.startswith("on")]

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        self.elements.append(("comment", data))


class Report(Attack):
    @classmethod
    def setUpClass(cls):
        """Puts EVIL into each text of both results, and finds the fields that accept any text."""
        cls.documents = {name: json.loads((RESULTS / f"{name}.json").read_text()) for name in ("tx", "rx")}
        cls.outcomes = {name: {path: cls.show(document, path) for path in paths_in(document, str)} for name, document in cls.documents.items()}
        cls.fields = {name: [path for path in outcomes if outcomes[path].code == 0] for name, outcomes in cls.outcomes.items()}

    @classmethod
    def show(cls, document, path):
        return run([MANACTL, "bench", "show", "-"], stdin=json.dumps(changed(document, [path], EVIL)))

    def write(self, value, name="result.json", mode="tx"):
        path = self.folder / name
        path.write_text(json.dumps(changed(self.documents[mode], self.fields[mode], value)))
        path.chmod(0o600)
        return path

    def commands(self, value, output):
        tx, rx = self.write(value), self.write(value, "rx.json", "rx")
        return [self.run_manactl("bench", *words, "-o", output) for words in (("show", tx), ("compare", tx, tx), ("merge", tx, rx))]

    def test_the_fields_reach_the_reports(self):
        for fields in self.fields.values():
            self.assertGreater(len(fields), 10)
        for output in ("text", "json", "html"):
            show, compare, merge = self.commands("a marked text", output)
            for outcome in (show, merge) if output == "text" else (show, compare, merge):
                self.assertIn("a marked text", outcome.out)

    def test_a_field_that_accepts_no_text_gives_one_line(self):
        for name, outcomes in self.outcomes.items():
            refused = [outcome for path, outcome in outcomes.items() if path not in self.fields[name]]
            self.assertTrue(refused)
            for outcome in refused:
                self.assert_exit(2, outcome)
                self.assert_one_line(outcome)
                self.assert_plain(outcome)

    def test_results_in_every_format(self):
        for outcomes in self.outcomes.values():
            for outcome in outcomes.values():
                self.assert_plain(outcome)
        file = self.write(EVIL)
        for output in ("text", "json", "ndjson", "csv", "html"):
            outcome = self.run_manactl("bench", "show", file, "-o", output, "-v")
            self.assert_exit(0, outcome)
            self.assert_plain(outcome)
            self.assertEqual(SHOWN in outcome.out, output != "csv", outcome)

    def test_comparison_and_merge(self):
        for output in ("text", "json", "html"):
            for outcome in self.commands(EVIL, output)[1:]:
                self.assert_exit(0, outcome)
                self.assert_plain(outcome)

    def test_markup_adds_no_element_to_a_page(self):
        clean = [Page(outcome.out) for outcome in self.commands("text", "html")]
        for value in MARKUP:
            with self.subTest(value):
                for page, outcome in zip(clean, self.commands(value, "html")):
                    self.assertIn(outcome.code, (0, 1), outcome)
                    self.assert_plain(outcome)
                    poisoned = Page(outcome.out)
                    self.assertEqual(poisoned.elements, page.elements)
                    self.assertEqual(poisoned.places, page.places)
                if CONTROLS.search(value) is None:
                    self.assertIn(value, Page(self.commands(value, "html")[0].out).text)

    def test_names_of_files_add_no_element_to_a_page(self):
        one = self.write("text")
        clean = Page(self.run_manactl("bench", "compare", one, one, "-o", "html").out)
        for value in MARKUP[:3]:
            other = self.write("text", value.replace("/", "_") + ".json")
            outcome = self.run_manactl("bench", "compare", other, other, "-o", "html")
            self.assertEqual(Page(outcome.out).elements, clean.elements, outcome)

    def test_formulas_do_not_reach_a_csv_file(self):
        clean = self.run_manactl("bench", "show", self.write("text"), "-o", "csv").out
        self.assertGreater(len(clean.splitlines()), 2)
        cells = {cell for line in clean.splitlines()[1:] for cell in line.split(",")}
        self.assertEqual([cell for cell in cells if not re.fullmatch(r"[0-9.e+-]+", cell)], [])
        for value in FORMULAS:
            outcome = self.run_manactl("bench", "show", self.write(value), "-o", "csv")
            self.assert_exit(0, outcome)
            self.assertEqual(outcome.out, clean)

    def test_numbers_of_a_csv_file_are_numbers(self):
        file = self.folder / "result.json"
        series = self.documents["tx"]["series"][0]
        paths = [("series", 0, "seconds", 0), *[("series", 0, "total", name, 0) for name in series["total"]],
                 *[("series", 0, "queues", 0, name, 0) for name in series["queues"][0]]]
        self.assertGreater(len(paths), 10)
        for path in paths:
            for value in ("=1", "1", -1):
                file.write_text(json.dumps(changed(self.documents["tx"], [path], value)))
                outcome = self.run_manactl("bench", "show", file, "-o", "csv")
                self.assert_exit(2, outcome)
                self.assert_one_line(outcome)

    def test_a_list_of_saved_results_is_plain_text(self):
        results = self.folder / "results"
        results.mkdir(mode=0o700)
        list_them = ("bench", "list", "--results", results)
        self.write("a marked text", f"results/{ID}.json")
        self.assertIn("a marked text"[:6], self.run_manactl(*list_them).out)
        self.write("\x1b]0;t\x07\x9b2J\x00", f"results/{ID}.json")
        for name in ("\x1b]0;t\x07.json", f"{ID}\n.json", "..json", f"{ID}.json.tmp", ".json"):
            (results / name).write_text("{}")
        for options in ((), ("--json",), ("-v",)):
            outcome = self.run_manactl(*list_them, *options)
            self.assert_exit(0, outcome)
            self.assertIn(ID, outcome.out)
            self.assert_plain(outcome)

    def test_the_id_of_a_result_is_not_a_path(self):
        results = self.folder / "results"
        results.mkdir(mode=0o700)
        self.write("text", "outside.json")
        self.write("text", f"results/{ID}.json")
        show = ("bench", "show", "--results", results)
        self.assert_exit(0, self.run_manactl(*show, ID, preexec=self.leave))
        for name in ("../outside", f"../results/{ID}", f"/{ID}", f"{ID}/", f"x/../{ID}", "..", "."):
            with self.subTest(name):
                self.assert_exit(2, self.run_manactl(*show, name, preexec=self.leave))

    @staticmethod
    def leave():
        """Enters a directory in which relative names of results do not exist."""
        os.chdir("/proc")

    def test_decoded_records_are_plain_text(self):
        kinds = [line.split()[0] for line in run([MANACTL, "decode", "--list"]).out.splitlines()]
        self.assertGreater(len(kinds), 20)
        data = "\x1b]0;title\x07\x1b[31m<script>\r\n\b\x7f".encode() + b"\x9b\x00\xff\xfe"
        decoded = 0
        for kind in kinds:
            for size in (8, 32, 64):
                for options in (("--lax",), ("--lax", "--json")):
                    outcome = self.run_manactl("decode", kind, (data * 2)[:size].hex(), *options)
                    self.assertIn(outcome.code, (0, 1, 2), outcome)
                    self.assert_plain(outcome)
                    decoded += outcome.code != 2
        self.assertGreater(decoded, len(kinds))


if __name__ == "__main__":
    main()
