# SPDX-License-Identifier: MIT
"""libraries_test.py MANACTL STUBS: what check, bench and args say about libibverbs and libmana of several releases.

As root, in namespaces of its own: a root directory with the sysfs of a captured VM, the libraries that the program needs, and
stubs of libibverbs and libmana. The kernel's interface of the NIC is a veth.
"""
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

FIXTURE = pathlib.Path(__file__).resolve().parents[1] / "fixtures/mana-direct"
NIC = "enP30832p0s0"
MARK = "MANACTL_RDMA_CORE_NAMESPACE"
LIBRARIES = pathlib.Path("usr/lib") / f"{platform.machine()}-linux-gnu"
# The command with which each distribution installs the libraries, and the one with which it repairs them.
DISTRIBUTIONS = {
    "debian": ("apt-get update && apt-get install -y rdma-core ibverbs-providers",
               "apt-get update && apt-get install -y --reinstall libibverbs1 ibverbs-providers"),
    "rhel": ("dnf install -y rdma-core libibverbs", "dnf reinstall -y libibverbs"),
    "sles": ("zypper --non-interactive install rdma-core libibverbs",
             "zypper --non-interactive install --force libibverbs1 libmana1"),
    "azurelinux": ("tdnf install -y rdma-core libibverbs", "tdnf reinstall -y libibverbs"),
}


class Libraries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="manactl-rdma-core-"))
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", cls.root], check=True)
        shutil.copytree(FIXTURE / "sys", cls.root / "sys", symlinks=True)
        (cls.root / LIBRARIES).mkdir(parents=True)
        (cls.root / "lib").symlink_to("usr/lib")
        for line in subprocess.run(["ldd", MANACTL], check=True, capture_output=True, text=True).stdout.splitlines():
            found = re.search(r"(/\S+) \(", line)
            if found:
                path = pathlib.Path(found[1])
                target = cls.root / LIBRARIES / path.name if "=>" in line else cls.root / found[1][1:]
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)
        shutil.copy(MANACTL, cls.root / "manactl")
        shutil.copy(STUBS / "libhardware_links.so", cls.root)
        for folder in ("proc", "dev", "etc", "run", "tmp", "var/lib"):
            (cls.root / folder).mkdir(parents=True)
        for folder in ("proc", "dev"):
            subprocess.run(["mount", "--rbind", f"/{folder}", cls.root / folder], check=True)
        mac = next(link["mac"] for link in json.loads((FIXTURE / "manactl/links.json").read_text())["links"] if link["name"] == NIC)
        subprocess.run(["ip", "link", "add", NIC, "address", mac, "type", "veth"], check=True)

    @classmethod
    def tearDownClass(cls):
        subprocess.run(["umount", "--recursive", "--lazy", cls.root], check=True)
        cls.root.rmdir()

    def install(self, verbs, mana, distribution="debian"):
        """Installs libibverbs and libmana of these folders of stubs; None for no library."""
        folder = self.root / LIBRARIES
        for library in ("ibverbs", "mana"):
            for file in folder.glob(f"lib{library}.so*"):
                file.unlink()
        for library, release in (("ibverbs", verbs), ("mana", mana)):
            if release:
                for file in (STUBS / release).glob(f"lib{library}.so.*"):
                    shutil.copy(file, folder, follow_symlinks=False)
        (self.root / "etc/os-release").write_text(f"ID={distribution}\n")

    def run_manactl(self, *arguments):
        return subprocess.run(["/manactl", *arguments], capture_output=True, text=True, check=False,
                              env={"LD_PRELOAD": "/libhardware_links.so"},
                              preexec_fn=lambda: os.chroot(self.root) or os.chdir("/"))

    def finding(self):
        outcome = self.run_manactl("check", "--only", "rdma.core", "--json")
        found = json.loads(outcome.stdout)["checks"][0]
        self.assertEqual(outcome.returncode, int(found["status"] == "fail"), outcome)
        return found

    def benches(self):
        """The outcomes of bench with each engine; they end in an error, because the stubs list no device."""
        return [self.run_manactl("bench", NIC, "--no-save", *options) for options in (("--engine", "verbs"), ("--no-huge",))]

    def assert_reported(self, problem, remedy):
        """check, bench and args name the problem, and bench and args also the remedy, in one line."""
        found = self.finding()
        self.assertEqual(found["status"], "fail")
        self.assertRegex(found["detail"], problem)
        for outcome in self.benches():
            self.assertEqual(outcome.returncode, 3, outcome)
            self.assertRegex(outcome.stderr, rf"\Amanactl: bench: {problem}: {remedy}\n\Z")
        outcome = self.run_manactl("args", NIC)
        self.assertEqual(outcome.returncode, 0, outcome)
        lines = [line for line in outcome.stderr.splitlines() if re.search(problem, line)]
        self.assertEqual(len(lines), 1, outcome)
        self.assertRegex(lines[0], f"{problem}: {remedy}$")

    def test_libraries_of_one_release_are_loaded(self):
        for release in ("44", "50", "60"):
            with self.subTest(release):
                self.install(release, release)
                self.assertEqual(self.finding()["detail"], f"rdma-core {release} with libmana.so.1")
                for outcome in (*self.benches(), self.run_manactl("args", NIC)):
                    self.assertNotRegex(outcome.stderr, "rdma-core|cannot load")

    def test_releases_with_the_same_interface_work_together(self):
        self.install("50", "44")
        self.assertEqual(self.finding()["status"], "pass")

    def test_missing_libraries(self):
        for distribution, (install, _) in DISTRIBUTIONS.items():
            remedy = f"run '{re.escape(install)}' as root"
            with self.subTest(distribution):
                self.install(None, None, distribution)
                self.assert_reported("libibverbs.so.1 is not installed", remedy)
                self.install("60", None, distribution)
                self.assert_reported(r"rdma-core 60, but its MANA provider \(libmana.so.1\) is not installed", remedy)

    def test_releases_before_mana(self):
        for release in ("28", "41"):
            with self.subTest(release):
                self.install(release, None)
                self.assert_reported(f"rdma-core {release} is older than 44",
                                     "'manactl check --only rdma.core' prints what to do")

    def test_providers_of_another_release(self):
        for distribution, (_, repair) in DISTRIBUTIONS.items():
            for verbs, mana, version in (("60", "44", 34), ("44", "60", 59), ("50", "60", 59)):
                with self.subTest(f"{distribution}: libibverbs {verbs}, libmana {mana}"):
                    self.install(verbs, mana, distribution)
                    self.assert_reported(
                        rf"rdma-core {verbs}: cannot load 'libmana.so.1': \S+/libibverbs.so.1: version `IBVERBS_PRIVATE_{version}' "
                        r"not found \(required by \S+/libmana.so.1\)", f"run '{re.escape(repair)}' as root")

    def test_a_library_without_a_function(self):
        self.install("60", "60-without-function")
        self.assert_reported("rdma-core 60: 'libmana.so.1' does not export 'manadv_init_obj'",
                             f"run '{re.escape(DISTRIBUTIONS['debian'][1])}' as root")


if __name__ == "__main__":
    MANACTL, STUBS = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    if MARK not in os.environ:
        os.execvpe("unshare", ["unshare", "--mount", "--net", "--propagation", "private", sys.executable, *sys.argv],
                   {**os.environ, MARK: "1"})
    unittest.main(argv=sys.argv[:1])
