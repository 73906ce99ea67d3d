#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pages_test.py PAGES: checks that the pages of the program PAGES (pages.cpp) are well-formed, self-contained and accessible."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
ACTIVE = {"script", "link", "img", "iframe", "object", "embed", "form", "base", "a", "image", "use", "foreignObject"}
NAMES = ("small", "full", "large", "hostile", "compare", "merge")
MAX_BYTES = 400_000


def local(element):
    return element.tag.split("}")[-1]


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        subprocess.run([PROGRAM, cls.folder.name], check=True, timeout=60)
        cls.texts = {name: pathlib.Path(cls.folder.name, f"{name}.html").read_text(encoding="utf-8") for name in NAMES}
        cls.pages = {name: tree.fromstring(text) for name, text in cls.texts.items()}  # raises if a page is not well-formed

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_pages_have_no_scripts_and_load_nothing(self):
        for name, page in self.pages.items():
            with self.subTest(page=name):
                self.assertEqual({local(e) for e in page.iter()} & ACTIVE, set())
                for element in page.iter():
                    for key in element.attrib:
                        self.assertFalse(key.startswith("on") or key in ("href", "src", "style"), key)
                style = page.find("head/style").text
                self.assertEqual(style.count("url("), style.count("url(#hatch)"))
                self.assertNotIn("@import", style)

    def test_the_policy_forbids_scripts_and_network(self):
        for name, page in self.pages.items():
            with self.subTest(page=name):
                policy = page.find("head/meta[@http-equiv='Content-Security-Policy']").get("content")
                self.assertEqual(policy, "default-src 'none'; style-src 'unsafe-inline'")

    def test_every_picture_has_a_description(self):
        for name, page in self.pages.items():
            with self.subTest(page=name):
                ids = {e.get("id"): e for e in page.iter() if e.get("id")}
                pictures = [e for e in page.iter() if local(e) == "svg"]
                self.assertTrue(pictures)
                for picture in pictures:
                    labels = (picture.get("aria-labelledby") or "").split()
                    description = picture.get("aria-label") or " ".join(ids[label].text for label in labels)
                    self.assertTrue(description.strip() or picture.get("aria-hidden") == "true")

    def test_ids_are_unique(self):
        for name, page in self.pages.items():
            with self.subTest(page=name):
                ids = [e.get("id") for e in page.iter() if e.get("id")]
                self.assertEqual(len(ids), len(set(ids)))

    def test_every_header_cell_has_a_scope(self):
        for name, page in self.pages.items():
            with self.subTest(page=name):
                heads = [e for e in page.iter("th")]
                self.assertTrue(heads)
                self.assertEqual({e.get("scope") for e in heads} - {"row", "col"}, set())
                for table in page.iter("table"):
                    widths = {len(row) for row in table.iter("tr")}
                    self.assertEqual(len(widths), 1, "rows have different lengths")

    def test_pages_have_a_language_a_title_and_one_headline(self):
        for name, page in self.pages.items():
            with self.subTest(page=name):
                self.assertEqual(page.get("lang"), "en")
                self.assertTrue(page.findtext("head/title"))
                self.assertEqual(len(list(page.iter("h1"))), 1)

    def test_an_hour_with_64_queues_stays_small(self):
        self.assertLess(len(self.texts["large"]), MAX_BYTES)

    def test_contrast_is_sufficient(self):
        css = self.pages["full"].find("head/style").text
        light, dark = colors(css.split("@media (prefers-color-scheme: dark)")[0]), colors(
            css.split("@media (prefers-color-scheme: dark)")[1].split("* {")[0])
        for scheme in (light, dark):
            for paper in ("paper", "card", "alarm"):
                for text in ("ink", "soft"):
                    self.assertGreaterEqual(contrast(scheme[text], scheme[paper]), 4.5, (text, paper))
            for line in ("one", "two", "three", "bad", "good"):
                self.assertGreaterEqual(contrast(scheme[line], scheme["paper"]), 4.5, line)


def colors(css):
    found = {}
    for part in css.split("--")[1:]:
        name, _, rest = part.partition(":")
        value = rest.split(";")[0].strip()
        if value.startswith("#") and len(value) in (4, 7):
            digits = value[1:] if len(value) == 7 else "".join(c * 2 for c in value[1:])
            found[name] = tuple(int(digits[i:i + 2], 16) for i in (0, 2, 4))
    return found


def luminance(color):
    parts = [c / 255 / 12.92 if c / 255 <= 0.03928 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in color]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
