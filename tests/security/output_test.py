#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks on output files whose path root passes: doctor --bundle and sim --write."""
import ctypes
import os
import pathlib
import tempfile

from attack import HEALTHY, NOBODY, Attack, attacker, main, run



def swap(one, other):
    """Returns the work of an attacker that exchanges two files all the time. Python has no renameat2(2)."""
    libc = ctypes.CDLL(None)
    at_working_directory, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE

    def work(ready):
        ready()
        while True:
            libc.renameat2(at_working_directory, os.fsencode(one), at_working_directory, os.fsencode(other), exchange)

    return work


class Output(Attack):
    def setUp(self):
        super().setUp()
        self.secret = self.folder / "secret"  # only root may write here
        self.secret.mkdir(mode=0o700)
        self.foreign = self.folder / "foreign"
        (self.foreign / "plain").mkdir(parents=True)
        (self.foreign / "link").symlink_to(self.secret)
        self.link = self.folder / "link"
        self.link.symlink_to(self.secret)
        for path in (self.foreign, self.foreign / "plain", self.link):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        self.commands = {
            "bundle": lambda path: ["doctor", "--root", HEALTHY, "--bundle", path],
            "write": lambda path: ["sim", "--write", path, "--", "true"],
        }

    def write(self, command, path, **options):
        return self.run_manactl(*self.commands[command](path), **options)

    def assert_written(self, outcome, path):
        self.assertIn(outcome.code, (0, 1), outcome)
        self.assertTrue(path.is_file() and not path.is_symlink(), outcome)
        self.assertEqual(oct(path.stat().st_mode & 0o7777), oct(0o600))
        path.unlink()

    def assert_refused(self, outcome):
        self.assertIn(outcome.code, (2, 4, 70), outcome)
        self.assertEqual([*self.secret.iterdir()], [], outcome)
        self.assertEqual(outcome.err.count("symbolic link"), 1, outcome)


class Parents(Output):
    def test_a_link_of_another_user_does_not_redirect_the_file(self):
        ways = [self.link / "file.tar", self.foreign / "link/file.tar", self.foreign / "plain/../link/file.tar",
                self.link / "../secret/file.tar", self.foreign / "plain/../../link/file.tar"]
        for command in self.commands:
            for path in ways:
                with self.subTest(f"{command} {path}"):
                    self.assert_refused(self.write(command, path))

    def test_a_relative_path_is_checked_too(self):
        for command in self.commands:
            for path in ("link/file.tar", "./plain/../link/file.tar"):
                with self.subTest(f"{command} {path}"):
                    self.assert_refused(self.write(command, path, preexec=lambda: os.chdir(self.foreign)))

    def test_a_link_of_root_in_a_directory_of_another_user_is_not_followed(self):
        os.chown(self.foreign / "link", 0, 0, follow_symlinks=False)  # root's link, which NOBODY may have moved here
        for command in self.commands:
            self.assert_refused(self.write(command, self.foreign / "link/file.tar"))

    def test_links_of_root_and_directories_of_other_users_work(self):
        os.chown(self.link, 0, 0, follow_symlinks=False)
        for command in self.commands:
            with self.subTest(command):
                self.assert_written(self.write(command, self.link / "file.tar"), self.secret / "file.tar")
                self.assert_written(self.write(command, self.foreign / "plain/file.tar"), self.foreign / "plain/file.tar")
                relative = self.write(command, "plain/file.tar", preexec=lambda: os.chdir(self.foreign))
                self.assert_written(relative, self.foreign / "plain/file.tar")

    def test_a_sticky_directory_works_but_a_link_in_it_is_checked(self):
        with tempfile.TemporaryDirectory() as name:
            sticky = pathlib.Path(name)
            sticky.chmod(0o1777)
            link = sticky / "link"
            self.assert_exit(0, run(["ln", "-s", self.secret, link], user=NOBODY))
            for command in self.commands:
                with self.subTest(command):
                    self.assert_written(self.write(command, sticky / "file.tar"), sticky / "file.tar")
                    self.assert_refused(self.write(command, link / "file.tar"))

    def test_a_user_follows_his_own_link(self):
        home = self.folder / "home"
        home.mkdir()
        (home / "real").mkdir()
        (home / "link").symlink_to("real")
        for path in (home, home / "real", home / "link"):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        outcome = self.write("bundle", home / "link/file.tar", user=NOBODY)
        self.assert_written(outcome, home / "real/file.tar")

    def test_a_directory_that_becomes_a_link_does_not_redirect_the_file(self):
        with attacker(swap(self.foreign / "plain", self.foreign / "link")):
            for number in range(40):
                command = ("bundle", "write")[number % 2]
                outcome = self.write(command, self.foreign / f"plain/{number}")
                self.assertEqual([*self.secret.iterdir()], [], outcome)


class Files(Output):
    def test_other_kinds_of_files_are_neither_replaced_nor_followed(self):
        victim = self.secret / "victim"
        spoiled = {
            "a link": lambda path: path.symlink_to(victim),
            "a dangling link": lambda path: path.symlink_to(self.secret / "none"),
            "a pipe": os.mkfifo,
            "a directory": lambda path: path.mkdir(),
            "a device": lambda path: os.mknod(path, 0o600 | 0o020000, os.makedev(1, 3)),
        }
        for command in self.commands:
            for name, make in spoiled.items():
                with self.subTest(f"{command}: {name}"):
                    victim.write_text("precious")
                    path = self.folder / f"{command} {name}"
                    make(path)
                    kind = path.lstat().st_mode
                    outcome = self.write(command, path)
                    self.assertIn(outcome.code, (2, 4, 70), outcome)
                    self.assertEqual(path.lstat().st_mode, kind)
                    self.assertEqual(victim.read_text(), "precious")
                    self.assertEqual([*self.secret.iterdir()], [victim])

    def test_a_hard_link_does_not_change_its_other_name(self):
        for command in self.commands:
            with self.subTest(command):
                victim = self.secret / "victim"
                victim.write_text("precious")
                path = self.folder / command
                os.link(victim, path)
                self.write(command, path)
                self.assertEqual(victim.read_text(), "precious")

    def test_nothing_is_written_into_a_file_of_another_user(self):
        for command in self.commands:
            with self.subTest(command):
                path = self.foreign / f"plain/{command}"
                path.touch()
                os.chown(path, NOBODY, NOBODY)
                with path.open() as held:  # the owner could have opened it before, too
                    self.write(command, path)
                    self.assertEqual(held.read(), "")


if __name__ == "__main__":
    main()
