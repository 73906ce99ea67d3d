# SPDX-License-Identifier: MIT
"""A command that reads foreign input has given up its privileges when it reads the first byte of it.

A preloaded library (probe.c) acts as an attacker who has taken over the parser, and reports what it can still do.
"""
import ctypes
import os
import pathlib
import shutil
import struct
import subprocess

import attack

READ_SEARCH, OVERRIDE = 1 << 2, 1 << 1  # CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE
RESULT_ID = "20261121-134702-3f2a"


def has_landlock():
    """landlock_create_ruleset(2) with LANDLOCK_CREATE_RULESET_VERSION."""
    return ctypes.CDLL(None).syscall(444, None, 0, 1) > 0


def deny_landlock():
    """Makes the calls of Landlock (444 to 446) fail with ENOSYS from now on, as on a kernel without it: seccomp(2)."""
    code = b"".join(struct.pack("HBBI", *line) for line in [
        (0x20, 0, 0, 0),             # load the number of the call
        (0x35, 0, 2, 444),           # below 444: allow
        (0x25, 1, 0, 446),           # above 446: allow
        (0x06, 0, 0, 0x50000 | 38),  # SECCOMP_RET_ERRNO, ENOSYS
        (0x06, 0, 0, 0x7fff0000)])   # SECCOMP_RET_ALLOW
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(buffer))
    if ctypes.CDLL(None).prctl(22, 2, program, 0, 0) != 0:  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
        os._exit(99)


class Sandbox(attack.Attack):
    def setUp(self):
        super().setUp()
        self.input = self.folder / "input"
        self.input.mkdir(mode=0o755)
        self.secret = self.folder / "secret"
        self.secret.write_text("secret")
        self.probe = self.folder / "probe.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", pathlib.Path(__file__).with_name("probe.c"),
                        "-o", self.probe], check=True)
        shutil.copytree(attack.HEALTHY, self.input / "tree", symlinks=True)
        (self.input / "log").write_text("EAL: Error\n")
        (self.input / "dump").write_text("00 " * 64)
        self.out = self.folder / "out"
        self.out.mkdir()
        self.results = self.input / "results"
        self.results.mkdir(mode=0o700)
        shutil.copy(attack.ROOT / "tests/bench/tx.json", self.results / f"{RESULT_ID}.json")
        (self.results / f"{RESULT_ID}.json").chmod(0o600)
        self.bundle = self.input / "bundle.tar.gz"
        self.assert_exit(0, self.run_manactl("doctor", "--root", attack.HEALTHY, "--bundle", self.bundle))

    def attempts(self, *arguments, stdin=None, user=0, preexec=None):
        """Runs a command with the probe. Returns the lines of its report."""
        report = self.folder / "report"
        report.unlink(missing_ok=True)
        report.touch()
        report.chmod(0o666)
        outcome = self.run_manactl(*arguments, stdin=stdin, user=user, preexec=preexec, env={
            "LD_PRELOAD": self.probe, "PROBE_INPUT": self.input, "PROBE_SECRET": self.secret, "PROBE_REPORT": report})
        lines = dict(line.split(":", 1) for line in report.read_text().splitlines())
        self.assertIn("NoNewPrivs", lines, outcome)  # otherwise it read nothing, and the test would prove nothing
        return {key: value.strip() for key, value in lines.items()}

    def assert_confined(self, *arguments, capabilities=READ_SEARCH, read="EACCES", **options):
        with self.subTest(" ".join(map(str, arguments))):
            found = self.attempts(*arguments, **options)
            self.assertEqual({key: int(found[key], 16) for key in ("CapPrm", "CapEff", "CapInh", "CapBnd", "CapAmb")},
                             {"CapPrm": capabilities, "CapEff": capabilities, "CapInh": 0, "CapBnd": 0, "CapAmb": 0})
            self.assertEqual((found["NoNewPrivs"], found["Threads"]), ("1", "1"))
            if has_landlock():
                self.assertEqual((found["read"], found["write"], found["create"]), (read, "EACCES", "EACCES"))
            self.assertEqual(self.secret.read_text(), "secret")

    def test_commands_on_a_captured_tree_or_bundle(self):
        for root in (self.input / "tree", self.bundle):
            for words in (["check"], ["check", "--json", "eth1"], ["status"], ["args"], ["prepare", "--dry-run", "eth1"],
                          ["doctor"], ["doctor", "--log", self.input / "log"], ["doctor", "--log", "-"]):
                self.assert_confined(*words, "--root", root, stdin="EAL: Error\n" if "-" in words else None)
            self.assert_confined("__complete", "--", "check", "--root", root, "")

    def test_a_log_without_a_captured_system(self):
        """doctor looks at this machine first, with all privileges, and then confines itself and reads the log."""
        self.assert_confined("doctor", "--log", self.input / "log", capabilities=0)
        self.assert_confined("doctor", "--log", "-", stdin="EAL: Error\n", capabilities=0)
        self.assert_confined("doctor", "--log", "-", "--bundle", self.out / "own.tar.gz", stdin="EAL: Error\n",
                             capabilities=READ_SEARCH | OVERRIDE, read="done")

    def test_dumps_and_results(self):
        result = self.results / f"{RESULT_ID}.json"
        text = result.read_text()
        saved = ["--results", self.results]
        self.assert_confined("decode", "cqe", self.input / "dump")
        self.assert_confined("decode", "cqe", "-", stdin="00 " * 64)
        self.assert_confined("bench", "list", *saved)
        self.assert_confined("bench", "show", *saved)
        self.assert_confined("bench", "show", RESULT_ID, *saved)
        for form in ("json", "ndjson", "csv", "text", "html"):
            self.assert_confined("bench", "show", "-", "-o", form, stdin=text)
        for command in ("compare", "merge"):
            self.assert_confined("bench", command, result, RESULT_ID, *saved)
            self.assert_confined("bench", command, RESULT_ID, "-", *saved, stdin=text)

    def test_only_the_folder_of_the_bundle_is_writable(self):
        for root in (self.bundle, self.input / "tree"):
            (self.out / "new.tar.gz").unlink(missing_ok=True)
            self.assert_confined("doctor", "--root", root, "--bundle", self.out / "new.tar.gz", "--scrub",
                                 capabilities=READ_SEARCH | OVERRIDE)
            self.assert_exit(0, self.run_manactl("check", "--root", self.out / "new.tar.gz"))

    def test_root_still_uses_files_of_other_users(self):
        """Only root's capabilities let it into the private folder of another user."""
        private = self.folder / "private"
        shutil.copytree(self.input, private, symlinks=True)
        for path in [private, *private.rglob("*")]:
            os.chown(path, attack.NOBODY, attack.NOBODY, follow_symlinks=False)
            if not path.is_symlink():
                path.chmod(0o700 if path.is_dir() else 0o600)
        for root in (private / "tree", private / "bundle.tar.gz"):
            self.assert_exit(0, self.run_manactl("check", "--root", root))
            (private / "new.tar.gz").unlink(missing_ok=True)
            # 1: the log has a failure of unknown cause.
            self.assert_exit(1, self.run_manactl("doctor", "--root", root, "--log", private / "log", "--bundle", private / "new.tar.gz"))
        self.assert_exit(0, self.run_manactl("bench", "show", private / "results" / f"{RESULT_ID}.json"))
        self.assert_exit(0, self.run_manactl("decode", "--lax", "cqe", private / "dump"))

    def test_without_landlock_commands_run_with_few_capabilities(self):
        result = self.results / f"{RESULT_ID}.json"
        for words in (["check", "--root", self.bundle], ["doctor", "--root", self.bundle, "--log", self.input / "log"],
                      ["decode", "--lax", "cqe", self.input / "dump"], ["bench", "show", result], ["bench", "compare", result, result]):
            with self.subTest(" ".join(map(str, words))):
                found = self.attempts(*words, preexec=deny_landlock)
                self.assertEqual((found["read"], int(found["CapEff"], 16), found["NoNewPrivs"]), ("done", READ_SEARCH, "1"))
                usual, without = self.run_manactl(*words), self.run_manactl(*words, preexec=deny_landlock)
                self.assertEqual((usual.code, usual.out, usual.err), (without.code, without.out, without.err))
                self.assertIn(usual.code, (0, 1), usual)

    def test_an_unprivileged_user_is_confined_too(self):
        self.bundle.chmod(0o644)
        found = self.attempts("check", "--root", self.bundle, user=attack.NOBODY)
        self.assertEqual((int(found["CapEff"], 16), found["NoNewPrivs"]), (0, "1"))
        if has_landlock():
            self.assertEqual(found["read"], "EACCES")


if __name__ == "__main__":
    attack.main()
