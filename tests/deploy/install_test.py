#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""install_test.py MANACTL BUILD SOURCE: installs the build twice and runs the installed program.

Once as a package would (DESTDIR), once with another prefix. The installation must not change the build tree.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

MANACTL, BUILD, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
LIBRARY = BUILD / "lib/manactl/libmanactl-sim.so"


def run(*command, **variables):
    return subprocess.run(command, env={**os.environ, **variables}, text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def state_of_build():
    """The names in the build tree, and what identifies the installed files. Other tests write below Testing only."""
    files = [MANACTL, *BUILD.glob("man/*.1"), LIBRARY]
    return sorted(os.listdir(BUILD)), [(file.stat().st_ino, file.stat().st_mtime_ns) for file in files]


class Install(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.before = state_of_build()

    def check(self, root):
        """Checks the installation: the build tree is unchanged, and the program finds the library."""
        self.assertEqual(state_of_build(), self.before)
        program, = root.rglob("bin/manactl")
        self.assertEqual(run(program, "--version", "--json"), run(MANACTL, "--version", "--json"))
        sbom, = root.rglob("manactl.spdx.json")
        self.assertEqual([p["name"] for p in json.loads(sbom.read_text())["packages"]][1:],
                         [c["name"] for c in json.loads(run(MANACTL, "--version", "--json"))["components"]])
        library, = root.rglob("manactl/libmanactl-sim.so")
        output = run(program, "sim", "--", "grep", "-o", "/.*libmanactl-sim.so", "/proc/self/maps")
        self.assertIn(str(library), output.splitlines())

    def test_another_prefix(self):
        run("cmake", "--install", str(BUILD), "--prefix", str(self.folder / "opt"))
        self.check(self.folder / "opt")

    def test_the_root_of_a_package(self):
        run("cmake", "--install", str(BUILD), DESTDIR=str(self.folder))
        self.check(self.folder)

    def test_the_library_directory_of_debian(self):
        # Only the paths are of interest, so this compiles nothing.
        build = self.folder / "build"
        run("cmake", "-G", "Ninja", "-S", str(SOURCE), "-B", str(build), "-DCMAKE_INSTALL_PREFIX=/usr",
            "-DMANACTL_TESTS=OFF", "-DCMAKE_INSTALL_LIBDIR=lib/x86_64-linux-gnu", "-DMANACTL_ZSH_DIR=share/zsh/x")
        script = "".join(file.read_text() for file in build.rglob("cmake_install.cmake"))
        self.assertIn("${CMAKE_INSTALL_PREFIX}/share/zsh/x", script)
        self.assertIn("${CMAKE_INSTALL_PREFIX}/lib/x86_64-linux-gnu/manactl", script)
        self.assertIn("../lib/x86_64-linux-gnu/manactl/libmanactl-sim.so", (build / "build.ninja").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
