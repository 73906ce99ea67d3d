#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""browser_test.py PAGES: checks how headless Chromium renders the pages of the program PAGES: light, dark, narrow, printed.

Chromium's only proxy is a closed port, so Chromium has no network. MANACTL_SHOTS=DIR keeps the screenshots.
"""
import html
import json
import os
import pathlib
import re
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
WATCHDOG = 120  # seconds; long enough for a busy machine

# Names elements that are wider than their box or the window, elements that must be scrolled, and important ones that are
# not completely in the window.
MEASURE = """<script>
const all = [...document.body.querySelectorAll("*")].filter(one => !one.closest("svg") || one.matches("svg"));
const names = list => list.map(one => one.outerHTML.slice(0, 100));
const isOutside = one => {
  const box = one.getBoundingClientRect();
  return box.width > 0 && (box.left < 0 || box.right > window.innerWidth + 1);
};
const isWide = one => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1;
const isCutText = one => {
  const box = one.getBoundingClientRect(), picture = one.closest("svg").getBoundingClientRect();
  return box.left < picture.left - 1 || box.right > picture.right + 1;
};
const firstChart = document.querySelector("figure svg");
const important = [...document.querySelectorAll(".figures > *"), ...(firstChart ? [firstChart] : [])];
parent.document.documentElement.dataset.found = JSON.stringify({
  width: window.innerWidth,
  elements: all.length,
  cut: names(all.filter(one => !one.closest(".scroll") && (isWide(one) || isOutside(one)))),
  scrolled: names(all.filter(one => one.matches(".scroll") && isWide(one))),
  outside: names(important.filter(isOutside)),
  labels: names([...document.querySelectorAll("svg text")].filter(isCutText)),
});
</script>"""


def need(*names):
    for name in names:
        if shutil.which(name):
            return shutil.which(name)
    if names == BROWSERS and "ID=debian" not in pathlib.Path("/etc/os-release").read_text().split():
        print("SKIP: no browser found, and this distribution has no package of one; install Chromium or Chrome")
        sys.exit(77)
    sys.exit(f"{names[0]} is missing: run scripts/packages test as root")


def count_pixels(picture, color, tolerance=24):
    """The number of pixels with about this color."""
    return sum(count for count, pixel in picture.getcolors(1 << 24)
               if all(abs(a - b) <= tolerance for a, b in zip(pixel, color)))


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

    def test_light_and_dark_pages_show_text_lines_and_marks(self):
        for scheme in ("light", "dark"):
            with self.subTest(scheme=scheme):
                picture = self.shot("full", scheme)
                self.assertEqual(picture.getpixel((2, 2)), PAPER[scheme])
                self.assertGreater(count_pixels(picture, INK[scheme]), 2000, "text")
                self.assertGreater(count_pixels(picture, LINE[scheme]), 1500, "lines")
                self.assertGreater(count_pixels(picture, ALARM[scheme]), 300, "disturbed intervals")

    def test_pages_fit_the_width_of_a_phone(self):
        for page in ("full", "compare", "merge"):
            with self.subTest(page=page):
                picture = self.shot(page, size="390,3000")
                self.assertEqual(picture.size, (390, 3000))
                edge = picture.crop((383, 0, 390, 3000))
                self.assertEqual(len(edge.getcolors(1 << 20)), 1, "the margin is not empty")
                self.assertGreater(count_pixels(picture, LINE["light"]), 40)

    def layout(self, page, width):
        """Returns what a script finds in a copy of the page without its policy, which forbids scripts."""
        text = (self.folder / f"{page}.html").read_text()
        text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
        # Chromium has no window that is narrower than 500 px, but a frame may be.
        frame = f'<iframe style="border: 0; width: {width}px; height: 3000px" srcdoc="{html.escape(text + MEASURE)}">'
        (self.folder / f"{page}-measured.html").write_text(f"<!DOCTYPE html>{frame}</iframe>")
        dom = self.browse(f"{page}-measured", f"--window-size={width},3000", "--dump-dom")
        found = json.loads(html.unescape(re.search('data-found="([^"]*)"', dom).group(1)))
        self.assertEqual(found["width"], width)
        return found

    def test_no_column_is_cut(self):
        for page in ("full", "compare", "merge", "small", "fast"):
            for width in (1280, 390):
                with self.subTest(page=page, width=width):
                    found = self.layout(page, width)
                    self.assertGreater(found["elements"], 50)
                    self.assertEqual(found["cut"], [], "outside of elements that scroll")
                    self.assertEqual(found["outside"], [], "tiles, or the first chart")
                    self.assertEqual(found["labels"], [], "labels of charts")
                    if width == 1280:
                        self.assertEqual(found["scrolled"], [], "elements that must be scrolled")

    def test_a_comparison_shows_both_results(self):
        picture = self.shot("compare", size="1100,1400")
        self.assertGreater(count_pixels(picture, ALARM["light"]), 150, "the verdict in red")
        self.assertGreater(count_pixels(picture, (11, 92, 173), 90), 300, "dots of the first result")
        self.assertGreater(count_pixels(picture, (154, 77, 0), 70), 300, "dots of the second result")

    def test_a_merged_result_shows_both_ends(self):
        picture = self.shot("merge", size="1100,1800")
        self.assertGreater(count_pixels(picture, LINE["light"]), 300, "line of the sender")
        self.assertGreater(count_pixels(picture, (154, 77, 0), 70), 300, "line of the receiver")

    def test_a_printed_page_is_white_and_complete(self):
        full = ("rtt on eth1", "Noisy", "Throughput over time", "Loss by rate", "pdr=0.5%: 8.90 Mpps", "Latency",
                "99.99 %", "Histogram", "Cumulative distribution", "slower packets", "received", "Environment",
                "AMD EPYC 7763", "Notes")
        compare = ("worse", "monday.json", "vm-one", "Configuration", "6.8.0-1062-azure")
        merge = ("% lost", "synthetic path", "Both ends", "Queues")
        for page, min_pixels, texts in (("full", 200, full), ("compare", 40, compare), ("merge", 40, merge)):
            with self.subTest(page=page):
                file = self.folder / f"{page}.pdf"
                self.browse(page, "--force-dark-mode", "--no-pdf-header-footer", f"--print-to-pdf={file}")
                text = subprocess.run(["pdftotext", "-layout", file, "-"], check=True, capture_output=True, timeout=60)
                for expected in texts:
                    self.assertIn(expected, text.stdout.decode())
                subprocess.run(["pdftoppm", "-r", "96", "-png", "-singlefile", file, file.with_suffix("")],
                               check=True, timeout=60)
                picture = Image.open(file.with_suffix(".png")).convert("RGB")
                self.assertEqual(picture.getpixel((2, 2)), (255, 255, 255))
                self.assertGreater(count_pixels(picture, (0, 0, 0), 0), 200, "black text")
                self.assertGreater(count_pixels(picture, LINE["light"], 60), min_pixels, "a chart")

    def test_hostile_names_are_escaped(self):
        dom = self.browse("hostile", "--dump-dom")
        self.assertNotIn("<script", dom)
        self.assertNotIn("<img", dom)
        self.assertNotIn("<title>owned", dom)
        self.assertIn("&lt;script&gt;", dom)

    def test_an_hour_with_64_queues_loads(self):
        seconds = {}
        for page in ("small", "large"):
            start = time.monotonic()
            dom = self.browse(page, "--dump-dom")
            seconds[page] = time.monotonic() - start
        self.assertEqual(dom.count('<rect class="bar"'), 64)
        self.assertEqual(dom.count('class="sparkline"'), 64)
        print(f"\nload times including browser start: large.html {seconds['large']:.2f} s, "
              f"small.html {seconds['small']:.2f} s")
        picture = self.shot("large", size="1100,3200")
        self.assertGreater(count_pixels(picture, LINE["light"]), 3000)


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
