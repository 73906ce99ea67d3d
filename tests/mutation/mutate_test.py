#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests tests/mutation/mutate: which mutants it finds, and a run on a small project."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).with_name("mutate")
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("mutate", str(TOOL))
mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
loader.exec_module(mutate)

# The tests of this project notice every change of limit(), and none of unused().
PROJECT = {
    "CMakePresets.json": """{"version": 6, "configurePresets": [
        {"name": "dev", "generator": "Ninja", "binaryDir": "${sourceDir}/build/dev"}]}""",
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.25)
        project(toy CXX)
        enable_testing()
        add_subdirectory(tests/toy)""",
    "tests/toy/CMakeLists.txt": """
        add_executable(test_bounds ../../src/toy/toy.cpp bounds.cpp)
        add_test(NAME bounds.Limits COMMAND test_bounds)""",
    "src/toy/toy.cpp": """
        int limit(int value) {
          if (value < 8) return value;
          return 0;
        }
        int unused(int value) {
          return value == 5;
        }
        """,
    "tests/toy/bounds.cpp": """
        int limit(int value);
        int main() {
          return limit(7) == 7 && limit(8) == 0 && limit(-1) == -1 ? 0 : 1;
        }
        """,
}


def changes(source):
    return [(mutant.kind, mutant.name.split(" => ")[1]) for mutant in mutate.mutants_of("a.cpp", source)]


class Mutants(unittest.TestCase):
    def test_each_operator_changes_one_place(self):
        for source, kind, expected in (
                ("a = b == c;", "comparison", "a = b != c;"),
                ("a = b != c;", "comparison", "a = b == c;"),
                ("a = b < c;", "boundary", "a = b <= c;"),
                ("a = b >= c;", "boundary", "a = b > c;"),
                ("a = 9U;", "constant", "a = 10U;"),
                ("mode = 0755;", "constant", "mode = 0756;"),
                ("a = 0x0f;", "constant", "a = 16;"),
                ("return true;", "constant", "return false;"),
                ("  list.push_back(x);", "removed call", ";"),
                ("  if (is_up(x)) return y;", "swapped branch", "if (!(is_up(x))) return y;"),
                ('  if (x["a"]) return y;', "swapped branch", 'if (!(x["a"])) return y;'),
                ("a = b && c;", "swapped branch", "a = b || c;"),
                ("  if (!done) return fail(done);", "ignored result", "(void)done;")):
            with self.subTest(source):
                self.assertIn((kind, expected), changes(source))

    def test_text_that_is_not_code_stays(self):
        for source in ('a = "x == 1";', "// a == 1", "#if A == 1", "#include <a1>", "a = R\"(\n == 1)\";", "a = '1';",
                       "static_assert(a == 1);", "template <int = 1>", "name2 = x.first1;", "Type name(b);"):
            with self.subTest(source):
                self.assertEqual(changes(source), [])
        self.assertEqual(changes("a = 16'384;"), [])

    def test_the_seed_selects_the_order(self):
        mutants = {"m": mutate.mutants_of("a.cpp", "a = 1 + 2 + 3 == b && c;\n" * 9)}
        order = [list(mutate.shuffled(mutants, seed)) for seed in (1, 1, 2)]
        self.assertEqual(order[0], order[1])
        self.assertNotEqual(order[0], order[2])
        self.assertCountEqual(order[0], order[2])
        self.assertEqual(len(order[0]), len(mutants["m"]))

    def test_equivalents_need_a_reason(self):
        name = "src/a/b.cpp: x => y"
        self.assertEqual(mutate.read_equivalents(f"# comment\n\n{name}\n  because\n"), {name: "  because"})
        for text in (name, f"{name}\nsrc/c: d => e\n", f"  because\n{name}\n"):
            with self.subTest(text), self.assertRaises(SystemExit):
                mutate.read_equivalents(text)

    def test_equivalents_must_exist(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "src/toy/toy.cpp")
            file.parent.mkdir(parents=True)
            file.write_text("a = 1;")
            name = "src/toy/toy.cpp: a = 1; => a = 2;"
            self.assertEqual(mutate.collect(pathlib.Path(folder), ["toy"], {name: "  none"}), {"toy": []})
            with self.assertRaises(SystemExit):
                mutate.collect(pathlib.Path(folder), ["toy"], {name + "3": "  none"})


class Run(unittest.TestCase):
    def test_reports_what_the_tests_notice_and_leaves_the_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in PROJECT.items():
                pathlib.Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
                pathlib.Path(folder, name).write_text(text)
            command = [sys.executable, TOOL, "--source", folder, "--count", "99", "toy"]
            listed = subprocess.run([*command, "--list"], capture_output=True, text=True, check=True).stdout
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            lines = ran.stdout.splitlines()
            self.assertEqual(len(listed.splitlines()), len(lines) - 1)
            self.assertIn("src/toy/toy.cpp:7 return value == 5; => return value != 5;", listed)
            survivors = [line for line in lines if line.startswith("SURVIVED")]
            self.assertIn("survived", lines[-1])
            self.assertEqual(len(survivors), 2, ran.stdout)  # the comparison and the constant of unused()
            self.assertTrue(all("value == 5" in line for line in survivors), ran.stdout)
            self.assertTrue(any("value <= 8" in line and "(bounds.Limits)" in line for line in lines), ran.stdout)
            self.assertEqual({str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*.*")}, set(PROJECT))
            self.assertEqual(pathlib.Path(folder, "src/toy/toy.cpp").read_text(), PROJECT["src/toy/toy.cpp"])

    def test_a_kept_copy_follows_the_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            source, kept = pathlib.Path(folder, "source"), pathlib.Path(folder, "kept")
            for name, text in (PROJECT | {"src/toy/old.cpp": "int old();\n"}).items():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                (source / name).write_text(text)

            def object_after(count):
                command = [sys.executable, TOOL, "--source", source, "--keep", kept, "--count", count, "toy"]
                subprocess.run(command, capture_output=True, check=True)
                return next((kept / "tree/build/dev").rglob("toy.cpp.o")).stat().st_mtime_ns

            compiled = object_after("0")
            (source / "src/toy/old.cpp").unlink()
            self.assertEqual(object_after("0"), compiled)
            self.assertFalse((kept / "tree/src/toy/old.cpp").exists())
            with_bug = object_after("1")
            self.assertGreater(object_after("0"), with_bug)


if __name__ == "__main__":
    unittest.main()
