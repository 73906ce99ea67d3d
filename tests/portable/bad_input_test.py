# SPDX-License-Identifier: MIT
"""Tests the messages of scripts/portable and the scripts that it calls about bad input, and what an interrupted call leaves.

The commands that need a network or much time are replaced by shell scripts that come first in PATH.
"""
import os
import pathlib
import platform
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = f"http://127.0.0.1:9/debian {platform.freedesktop_os_release()['VERSION_CODENAME']}"
# apt-get that lists SOURCES, and whose download puts the file deb into the current folder.
APT = f"""case "$*" in
  *indextargets*) echo '{SOURCES}' ;;
  *download*) cp "$FOLDER/deb" package.deb ;;
esac
"""
NO_NETWORK = f"""case "$*" in
  *indextargets*) echo '{SOURCES}' ;;
  *) echo 'Err:1 an address'; echo 'E: Could not connect to 127.0.0.1:9' >&2; echo 'E: Some index files failed' >&2; exit 100 ;;
esac
"""


class BadInput(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="manactl-portable-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "bin").mkdir()
        package = self.folder / "package"
        (package / "DEBIAN").mkdir(parents=True)
        (package / "DEBIAN/control").write_text("Package: manactl-test\nVersion: 1\nArchitecture: all\nMaintainer: none\nDescription: x\n")
        (package / "usr").mkdir()
        (package / "usr/file").write_text("text")
        subprocess.run(["dpkg-deb", "--build", package, self.folder / "deb"], check=True, stdout=subprocess.DEVNULL)
        self.replace("apt-get", APT)

    def replace(self, command, text):
        path = self.folder / "bin" / command
        path.write_text(f"#!/bin/bash\n{text}")
        path.chmod(0o755)

    def run_script(self, script, *arguments):
        return subprocess.run([ROOT / "scripts" / script, *map(str, arguments)], capture_output=True, text=True, check=False,
                              env={"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "FOLDER": str(self.folder)})

    def assert_refused(self, message, outcome, status=1, stdout=""):
        self.assertEqual((outcome.returncode, outcome.stdout), (status, stdout))
        self.assertRegex(outcome.stderr, rf"\A\S+: {message}\n\Z")

    def unpack(self):
        return self.run_script("unpack", "trixie", "amd64", self.folder / "unpacked", "manactl-test")

    def test_unknown_architecture(self):
        message = "'riscv64' is not an architecture of Azure VMs: use x86_64 or aarch64"
        self.assert_refused(message, self.run_script("portable", "riscv64"))
        self.assert_refused(message, self.run_script("sysroot", "riscv64", self.folder / "sysroot"))
        self.assertFalse((self.folder / "sysroot").exists())

    def test_full_disk(self):
        self.replace("df", "echo Header; echo 'tmpfs 2000 1001 999 51% /'")
        self.assert_refused("only 999 MiB are free in /.*; 1500 MiB are needed", self.run_script("portable", "x86_64"))
        self.replace("dpkg-deb", "echo 'tar: ./usr/file: Cannot write: No space left on device' >&2; echo more >&2; exit 2")
        self.assert_refused("cannot unpack package.deb in .*/unpacked.new: tar: ./usr/file: Cannot write: No space left on device",
                            self.unpack())
        self.assertFalse((self.folder / "unpacked").exists())

    def test_no_network(self):
        self.replace("apt-get", NO_NETWORK)
        self.assert_refused("apt cannot download manactl-test of trixie for amd64: Could not connect to 127.0.0.1:9; see .*/log", self.unpack(), 77)
        self.assert_refused("apt cannot download libdpdk-dev of trixie for amd64: Could not connect to 127.0.0.1:9; see .*/log",
                            self.run_script("sysroot", "x86_64", self.folder / "sysroot"))
        self.assertFalse((self.folder / "unpacked").exists())
        self.assertFalse((self.folder / "sysroot/root").exists())
        self.replace("dpkg-query", "exit 1")
        self.assert_refused("apt cannot install them: Could not connect to 127.0.0.1:9; see build/packages.log",
                            self.run_script("packages", "roots"), stdout="installing mmdebstrap\n")

    def test_debian_11_is_no_longer_served(self):
        self.replace("apt-get", f'case "$*" in *libc6-dev*) exit 100 ;; esac\n{APT}')
        self.assert_refused("apt cannot download libc6 .* of bullseye for amd64: .*; see .*/log",
                            self.run_script("sysroot", "x86_64", self.folder / "sysroot"), 77)

    def test_no_sources(self):
        self.replace("apt-get", "true")
        self.assert_refused("apt of this machine has no sources of Debian", self.unpack())

    def test_an_interrupted_call_is_repeated(self):
        for command in ("dpkg-deb", "mv"):
            with self.subTest(command):
                self.replace(command, "kill -KILL $PPID")
                self.assertEqual(self.unpack().returncode, -9)
                self.assertFalse((self.folder / "unpacked").exists())
                (self.folder / "bin" / command).unlink()
        self.assertEqual(self.unpack().returncode, 0)
        self.assertEqual((self.folder / "unpacked/usr/file").read_text(), "text")
        self.assertEqual((self.folder / "unpacked/.versions").read_text(), "manactl-test 1\n")
        self.replace("apt-get", APT.replace("cp ", "exit 1; cp "))
        self.assertEqual(self.unpack().returncode, 0, "the packages are unpacked already")

    def test_an_interrupted_root_file_system_is_made_again(self):
        release = ROOT / "build/badinput"
        self.addCleanup(shutil.rmtree, release)
        for end, status in (("kill -KILL $PPID", -9), ("echo 'E: No space left on device' >&2; exit 1", 1)):
            # Like mmdebstrap, it refuses a folder with files.
            self.replace("mmdebstrap", f'folder=${{@: -2:1}}\n[[ ! -e $folder ]] || exit 9; mkdir "$folder"\n{end}')
            outcome = self.run_script("on-debian", "badinput", "true")
            self.assertEqual(outcome.returncode, status)
            self.assertFalse((release / "base").exists())
        self.assert_refused("mmdebstrap failed: No space left on device; see build/mmdebstrap-badinput.log", outcome,
                            stdout="creating the root file system of Debian badinput\n")


if __name__ == "__main__":
    unittest.main()
