#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks on what manactl keeps and trusts: the lock, the journal, the results, the configuration and its own program."""
import contextlib
import fcntl
import os
import pathlib
import shutil
import subprocess
import time

from attack import HEALTHY, MANACTL, NOBODY, Attack, attacker, main, run
from hugepages import JOURNAL, PAGES, PREPARE, mount_pool, pages, set_pages

STATE = JOURNAL.parent
LOCK = pathlib.Path("/run/manactl/lock")
FORMER_LOCK = pathlib.Path("/run/lock/manactl.lock")
CONFIG = pathlib.Path("/etc/manactl/config.toml")


def setUpModule():
    """Makes the hugepage pool plain files and /etc a copy, for this mount namespace only."""
    mount_pool()
    copy = pathlib.Path("/run/etc")
    subprocess.run(["cp", "-a", "/etc", copy], check=True)
    subprocess.run(["mount", "--bind", copy, "/etc"], check=True)


def hold_locks(ready):
    """Holds a shared flock(2) on everything that this user can open."""
    held = []
    for path in (FORMER_LOCK, FORMER_LOCK.parent, LOCK, LOCK.parent, JOURNAL, STATE):
        with contextlib.suppress(OSError):
            held.append(os.open(path, os.O_RDONLY))
            fcntl.flock(held[-1], fcntl.LOCK_SH | fcntl.LOCK_NB)
    ready()
    time.sleep(60)


class State(Attack):
    def setUp(self):
        super().setUp()
        self.fresh()

    def fresh(self):
        """Removes all state, as on a new machine."""
        set_pages(0)
        for place in (STATE, LOCK.parent, FORMER_LOCK, CONFIG.parent):
            if place.is_symlink() or place.is_file() or place.is_fifo():
                place.unlink()
            shutil.rmtree(place, ignore_errors=True)

    def prepare(self):
        self.assert_exit(0, self.run_manactl(*PREPARE))

    def give_away(self, *paths):
        for path in paths:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)

    def assert_refused(self, outcome, code=4):
        self.assert_exit(code, outcome)
        self.assert_one_line(outcome)


class Lock(State):
    def test_another_user_who_holds_every_lock_blocks_nobody(self):
        self.prepare()
        with attacker(hold_locks):
            self.assert_exit(0, self.run_manactl("confirm", "hugepages-1"))
            self.assert_exit(0, self.run_manactl("restore", "--all"))
            self.prepare()
        self.assert_exit(0, self.run_manactl("restore", "--all"))
        self.assertEqual(pages(), 0)

    def test_another_user_who_holds_every_lock_does_not_stop_the_roll_back(self):
        self.prepare()
        self.assert_exit(0, self.run_manactl("restore", "--all"))
        self.assert_exit(0, self.run_manactl(*PREPARE, "--confirm-timeout", "1"))
        with attacker(hold_locks):
            deadline = time.monotonic() + 20
            while pages() and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertEqual(pages(), 0)

    def test_a_lock_that_another_user_created_in_advance_blocks_nobody(self):
        for command in ("touch", "mkfifo", "mkdir", "ln -s /etc/passwd"):
            with self.subTest(command):
                self.fresh()
                self.assert_exit(0, run([*command.split(), FORMER_LOCK], user=NOBODY))
                self.prepare()
                self.assert_exit(0, self.run_manactl("restore", "--all"))
                self.assert_exit(0, run(["rm", "-r", FORMER_LOCK], user=NOBODY))

    def test_only_root_can_open_the_lock(self):
        self.assert_exit(0, self.run_manactl(*PREPARE, preexec=lambda: os.umask(0)))
        self.assertEqual(oct(LOCK.parent.stat().st_mode & 0o7777), oct(0o700))
        self.assertEqual(oct(LOCK.stat().st_mode & 0o7777), oct(0o600))
        for place in (LOCK, LOCK.parent):
            self.assertNotEqual(run(["cat", place], user=NOBODY).code, 0)

    def test_an_invalid_lock_gives_one_line_and_status_still_works(self):
        victim = self.folder / "victim"

        def foreign_directory():
            LOCK.parent.mkdir()
            self.give_away(LOCK.parent)

        def shared_directory():
            LOCK.parent.mkdir()
            LOCK.parent.chmod(0o1777)

        def in_directory(make):
            LOCK.parent.mkdir(mode=0o700)
            make()

        cases = {
            "a directory of another user": foreign_directory,
            "a directory for all users": shared_directory,
            "a file in place of the directory": lambda: LOCK.parent.write_text("x"),
            "a link to /tmp": lambda: LOCK.parent.symlink_to("/tmp"),
            "a pipe": lambda: in_directory(lambda: os.mkfifo(LOCK)),
            "a directory": lambda: in_directory(LOCK.mkdir),
            "a link": lambda: in_directory(lambda: LOCK.symlink_to(victim)),
            "a dangling link": lambda: in_directory(lambda: LOCK.symlink_to(self.folder / "none")),
            "a device": lambda: in_directory(lambda: os.mknod(LOCK, 0o600 | 0o020000, os.makedev(1, 3))),
            "a file of another user": lambda: in_directory(lambda: (LOCK.touch(), self.give_away(LOCK))),
        }
        for name, make in cases.items():
            with self.subTest(name):
                self.fresh()
                victim.write_text("precious")
                make()
                outcome = self.run_manactl(*PREPARE)
                self.assert_one_line(outcome)
                self.assertIn(outcome.code, (3, 4), outcome)
                self.assertIn("/run/manactl", outcome.err)
                self.assertEqual(pages(), 0)
                self.assertEqual(victim.read_text(), "precious")
                self.assertFalse((self.folder / "none").exists())
                self.assert_exit(0, self.run_manactl("status"))

    def test_a_hard_link_is_not_overwritten(self):
        LOCK.parent.mkdir(mode=0o700)
        victim = LOCK.parent / "victim"
        victim.write_text("precious")
        os.link(victim, LOCK)
        self.assert_refused(self.run_manactl(*PREPARE))
        self.assertEqual(victim.read_text(), "precious")


class Journal(State):
    def test_directories_that_another_user_controls_are_refused(self):
        def make(path, owner=0, mode=0o700):
            path.mkdir(mode=mode)
            path.chmod(mode)
            os.chown(path, owner, owner)

        def linked():
            make(self.folder / "target")
            STATE.symlink_to(self.folder / "target")
            self.give_away(STATE)

        cases = {
            "a parent of another user": lambda: make(STATE, NOBODY),
            "a parent for all users": lambda: make(STATE, 0, 0o777),
            "a parent for a group": lambda: make(STATE, 0, 0o770),
            "a journal of another user": lambda: (make(STATE), make(JOURNAL, NOBODY)),
            "a journal for all users": lambda: (make(STATE), make(JOURNAL, 0, 0o1777)),
            "a link of another user": linked,
        }
        for name, create in cases.items():
            with self.subTest(name):
                self.fresh()
                create()
                self.assert_refused(self.run_manactl(*PREPARE))
                self.assertEqual(pages(), 0)
                self.assertEqual([*self.folder.rglob("*.jsonl")], [])

    def test_a_link_of_root_is_followed(self):
        target = pathlib.Path("/var/lib/elsewhere")
        target.mkdir(exist_ok=True)
        STATE.symlink_to(target)
        self.prepare()
        self.assertEqual(len([*target.rglob("*.jsonl")]), 1)
        self.assert_exit(0, self.run_manactl("restore", "--all"))

    def test_files_of_other_users_are_neither_trusted_nor_removed(self):
        def writable(path):
            path.chmod(0o666)

        def linked(path):
            target = self.folder / "target"
            shutil.move(path, target)
            path.symlink_to(target)

        def pipe(path):
            path.unlink()
            os.mkfifo(path)

        for spoil in (self.give_away, writable, linked, pipe):
            with self.subTest(spoil.__name__):
                self.fresh()
                self.prepare()
                (path,) = JOURNAL.iterdir()
                spoil(path)
                self.assert_exit(7, self.run_manactl("restore", "--all"))
                self.assert_exit(5, self.run_manactl(*PREPARE))
                self.assertEqual(pages(), PAGES)
                self.assertTrue(os.path.lexists(path))

    def test_damaged_files_are_reported_in_bounded_memory(self):
        self.prepare()
        (path,) = JOURNAL.iterdir()
        good = path.read_bytes()
        spoiled = {
            "cut": good[:len(good) // 2],
            "empty": b"",
            "forged": good.replace(b"hugepages", b"hugepagez", 1),
            "noise": os.urandom(1 << 20),
            "nesting": b"[" * (60 << 20),
            "escapes": b'{"a": "\x1b]0;owned\x07"}\n',
            "one line": b"{" + b'"a":1,' * (10 << 20),
        }
        for name, content in spoiled.items():
            with self.subTest(name):
                path.write_bytes(content)
                for command in (("status",), ("restore", "--all")):
                    outcome = self.run_manactl(*command)
                    self.assertIn(outcome.code, (0, 7), outcome)
                    self.assert_small(outcome)
                    self.assertNotIn("\x1b", outcome.out + outcome.err)
                    path.parent.mkdir(exist_ok=True)
                    path.write_bytes(content)

    def test_a_huge_file_is_refused(self):
        self.prepare()
        (path,) = JOURNAL.iterdir()
        with path.open("r+b") as file:
            file.truncate(8 << 30)
        self.assert_exit(0, self.run_manactl("status"))
        outcome = self.run_manactl("restore", "--all")
        self.assert_exit(7, outcome)
        self.assert_small(outcome)
        self.assertIn("larger than", outcome.out)


class Results(State):
    BENCH = ("bench", "--sim", "--duration", "100ms", "--warmup", "50ms", "--interval", "50ms", "--results")

    def refuse(self, directory):
        for command in (("bench", "list", "--results", directory), ("bench", "show", "--results", directory)):
            self.assert_refused(self.run_manactl(*command))
        self.assert_refused(self.run_manactl("bench", "list", env={"MANACTL_RESULTS": str(directory)}))

    def test_directories_that_another_user_controls_are_refused(self):
        foreign = self.folder / "foreign"
        (foreign / "own").mkdir(parents=True)
        foreign.joinpath("own").chmod(0o700)
        self.give_away(foreign)
        shared = self.folder / "shared"
        shared.mkdir()
        shared.chmod(0o1777)
        link = self.folder / "link"
        link.symlink_to("/var/lib")
        self.give_away(link)
        for place in (foreign, foreign / "own", shared, link, link / "results"):
            with self.subTest(place):
                self.refuse(place)

    def test_no_result_is_written_to_a_directory_of_another_user(self):
        foreign = self.folder / "foreign"
        foreign.mkdir()
        target = self.folder / "target"
        target.mkdir(mode=0o700)
        (foreign / "link").symlink_to(target)
        self.give_away(foreign)
        for place in (foreign, foreign / "link"):
            outcome = self.run_manactl(*self.BENCH, place)
            self.assertIn("belongs to UID 65534", outcome.err, outcome)
        self.assertEqual([*self.folder.rglob("*.json")], [])


class Configuration(State):
    CHECK = ("check", "--only", "hardware", "--root", HEALTHY)

    def setUp(self):
        super().setUp()
        CONFIG.parent.mkdir()
        CONFIG.write_text('color = "never"\n')
        CONFIG.chmod(0o644)
        self.assert_exit(0, self.run_manactl(*self.CHECK))

    def test_a_directory_that_another_user_controls_is_refused(self):
        self.give_away(CONFIG.parent)
        self.assert_refused(self.run_manactl(*self.CHECK), 2)
        os.chown(CONFIG.parent, 0, 0)
        for mode in (0o777, 0o775):
            CONFIG.parent.chmod(mode)
            self.assert_refused(self.run_manactl(*self.CHECK), 2)

    def test_a_parent_directory_that_another_user_controls_is_refused(self):
        config = self.folder / "a/b/config.toml"
        config.parent.mkdir(parents=True)
        shutil.copy(CONFIG, config)
        self.assert_exit(0, self.run_manactl(*self.CHECK, "--config", config))
        self.give_away(self.folder / "a")
        self.assert_refused(self.run_manactl(*self.CHECK, "--config", config), 2)
        self.assert_refused(self.run_manactl(*self.CHECK, env={"MANACTL_CONFIG": str(config)}), 2)

    def test_a_link_of_another_user_is_refused(self):
        link = self.folder / "link"
        link.symlink_to(CONFIG.parent)
        self.assert_exit(0, self.run_manactl(*self.CHECK, "--config", link / CONFIG.name))
        self.give_away(link)
        self.assert_refused(self.run_manactl(*self.CHECK, "--config", link / CONFIG.name), 2)

    def test_a_file_that_another_user_could_write_is_refused(self):
        CONFIG.chmod(0o666)
        self.assert_refused(self.run_manactl(*self.CHECK), 2)
        CONFIG.chmod(0o644)
        self.give_away(CONFIG)
        self.assert_refused(self.run_manactl(*self.CHECK), 2)
        CONFIG.unlink()
        os.mkfifo(CONFIG)
        self.assert_refused(self.run_manactl(*self.CHECK), 2)

    def test_a_missing_file_needs_no_trust_in_its_directory(self):
        CONFIG.unlink()
        self.give_away(CONFIG.parent)
        self.assert_exit(0, self.run_manactl(*self.CHECK))


class Program(State):
    def copy_to(self, directory):
        directory.mkdir(parents=True, exist_ok=True)
        program = directory / "manactl"
        shutil.copy(MANACTL, program)
        return program

    def persist(self, program):
        return run([program, "prepare", "lo", "--persist"])

    def test_persist_is_refused_for_a_program_that_another_user_can_replace(self):
        program = self.copy_to(self.folder / "a/b")
        trusted = self.persist(program)
        self.assertNotIn("--persist", trusted.err)
        for spoil, undo in ((lambda path: os.chown(path, NOBODY, NOBODY), lambda path: os.chown(path, 0, 0)),
                            (lambda path: path.chmod(0o777), lambda path: path.chmod(0o755))):
            for path in (self.folder / "a", self.folder / "a/b", program):
                with self.subTest(path):
                    spoil(path)
                    outcome = self.persist(program)
                    undo(path)
                    self.assert_refused(outcome)
                    self.assertIn("--persist", outcome.err)
        self.assertEqual([*pathlib.Path("/etc/systemd").rglob("*manactl*")], [])


if __name__ == "__main__":
    main()
