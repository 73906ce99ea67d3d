#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""browser_test.py PAGES: Chromium without a window shows what PAGES (pages.cpp) writes: light, dark, narrow, on paper.

It has no network: its only proxy is a port where nobody listens. MANACTL_SHOTS=DIR keeps the pictures.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PAPER = {"light": (255, 255, 255), "dark": (13, 17, 23)}
INK = {"light": (27, 31, 36), "dark": (230, 237, 243)}
LINE = {"light": (11, 92, 173), "dark": (108, 178, 255)}
ALARM = {"light": (180, 35, 24), "dark": (255, 131, 121)}
WATCHDOG = 120  # seconds, for a machine with much to do


def need(*names):
    for name in names:
        if shutil.which(name):
            return shutil.which(name)
    if names == BROWSERS and "ID=debian" not in pathlib.Path("/etc/os-release").read_text().split():
        print("SKIP: no browser, and this distribution has none as a package: install Chromium or Chrome")
        sys.exit(77)
    sys.exit(f"{names[0]} is missing: run scripts/packages test as root")


def near(picture, colour, slack=24):
    """How many pixels have about this colour."""
    return sum(count for count, pixel in picture.getcolors(1 << 24)
               if all(abs(a - b) <= slack for a, b in zip(pixel, colour)))


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(os.environ.get("MANACTL_SHOTS") or cls.temporary.name).resolve()
        cls.folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([PROGRAM, str(cls.folder)], check=True, timeout=60)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def browse(self, page, *options):
        command = [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
            "--proxy-server=http://127.0.0.1:9", f"--user-data-dir={self.temporary.name}/profile", *options,
            f"file://{self.folder}/{page}.html"
        ]
        done = subprocess.run(command, capture_output=True, timeout=WATCHDOG)
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace")[-2000:])
        return done.stdout.decode()

    def shot(self, page, scheme="light", size="1100,2600"):
        file = self.folder / f"{page}-{scheme}-{size.split(',')[0]}.png"
        self.browse(page, f"--window-size={size}", f"--screenshot={file}",
                    *(["--force-dark-mode"] if scheme == "dark" else []))
        return Image.open(file).convert("RGB")

    def test_light_and_dark_show_chart_table_and_marks(self):
        for scheme in ("light", "dark"):
            with self.subTest(scheme=scheme):
                picture = self.shot("full", scheme)
                self.assertEqual(picture.getpixel((2, 2)), PAPER[scheme])
                self.assertGreater(near(picture, INK[scheme]), 2000, "text")
                self.assertGreater(near(picture, LINE[scheme]), 1500, "lines")
                self.assertGreater(near(picture, ALARM[scheme]), 300, "disturbed intervals")

    def test_a_narrow_window_is_filled_to_its_edge_and_not_beyond(self):
        picture = self.shot("full", size="400,3000")
        self.assertEqual(picture.size, (400, 3000))
        edge = picture.crop((393, 0, 400, 3000))
        self.assertEqual(len(edge.getcolors(1 << 20)), 1, "something runs over the margin")
        self.assertGreater(near(picture, LINE["light"]), 300)

    def test_compare_shows_both_sides(self):
        picture = self.shot("compare", size="1100,1400")
        self.assertGreater(near(picture, ALARM["light"]), 150, "worse, in its colour")
        self.assertGreater(near(picture, (11, 92, 173), 90), 300, "dots before")
        self.assertGreater(near(picture, (154, 77, 0), 70), 300, "dots after")

    def test_merge_shows_both_ends(self):
        picture = self.shot("merge", size="1100,1800")
        self.assertGreater(near(picture, LINE["light"]), 300, "what was sent")
        self.assertGreater(near(picture, (154, 77, 0), 70), 300, "what was received")

    def test_paper_is_white_whatever_the_scheme_and_has_everything(self):
        everything = ("rtt on eth1", "noisy", "Throughput over time", "Latency", "99.99 %", "received", "Environment",
                      "AMD EPYC 7763", "Notes")
        for page, least, said in (("full", 200, everything), ("compare", 40, ("worse", "monday.json", "Configuration",
                                                             "6.8.0-1062-azure")),
                                  ("merge", 40, ("% lost", "synthetic device", "Both ends", "Queues"))):
            with self.subTest(page=page):
                file = self.folder / f"{page}.pdf"
                self.browse(page, "--force-dark-mode", "--no-pdf-header-footer", f"--print-to-pdf={file}")
                text = subprocess.run(["pdftotext", "-layout", file, "-"], check=True, capture_output=True, timeout=60)
                for words in said:
                    self.assertIn(words, text.stdout.decode())
                subprocess.run(["pdftoppm", "-r", "96", "-png", "-singlefile", file, file.with_suffix("")],
                               check=True, timeout=60)
                picture = Image.open(file.with_suffix(".png")).convert("RGB")
                self.assertEqual(picture.getpixel((2, 2)), (255, 255, 255))
                self.assertGreater(near(picture, (0, 0, 0), 0), 200, "black text")
                self.assertGreater(near(picture, LINE["light"], 60), least, "a chart")

    def test_hostile_names_stay_text(self):
        dom = self.browse("hostile", "--dump-dom")
        self.assertNotIn("<script", dom)
        self.assertNotIn("<img", dom)
        self.assertNotIn("<title>owned", dom)
        self.assertIn("&lt;script&gt;", dom)

    def test_an_hour_of_64_queues_loads(self):
        took = {}
        for page in ("small", "large"):
            start = time.monotonic()
            dom = self.browse(page, "--dump-dom")
            took[page] = time.monotonic() - start
        self.assertEqual(dom.count('<rect class="bar"'), 64)
        self.assertEqual(dom.count('class="spark"'), 64)
        print(f"\nlarge.html: {took['large']:.2f} s with the start of the browser, which needs "
              f"{took['small']:.2f} s for small.html")
        picture = self.shot("large", size="1100,3200")
        self.assertGreater(near(picture, LINE["light"]), 3000)


if __name__ == "__main__":
    BROWSER = need(*BROWSERS)
    need("pdftotext")
    need("pdftoppm")
    try:
        from PIL import Image
    except ImportError:
        sys.exit("python3-pil is missing: run scripts/packages test as root")
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
