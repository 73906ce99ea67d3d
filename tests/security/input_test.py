#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""input_test.py MANACTL: devices, pipes and links of other users as the input of commands."""
import ctypes
import os
import socket
import stat
import tarfile

from attack import HEALTHY, MANACTL, NOBODY, Attack, main, run

IN_OPEN = 0x20  # sys/inotify.h
SECRET = "EAL: the-secret-of-root"
# Commands that read a path from their arguments; {} is the path.
COMMANDS = [["doctor", "--log", "{}"], ["bench", "show", "{}"], ["bench", "compare", "{}", "{}"], ["bench", "merge", "{}", "{}"],
            ["decode", "cqe", "{}"], ["check", "--root", "{}"], ["doctor", "--root", "{}"],
            ["sim", "--backend", "pcap", "--read", "{}", "--", "/bin/true"]]


class Opened:
    """Detects with inotify(7) whether a file was opened. inotify does not report opening with O_PATH."""

    def __init__(self, path):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.path = os.fsencode(path)

    def __enter__(self):
        self.number = self.libc.inotify_init1(os.O_NONBLOCK)
        if self.number < 0 or self.libc.inotify_add_watch(self.number, self.path, IN_OPEN) < 0:
            raise OSError(ctypes.get_errno(), "inotify")
        return self

    def __exit__(self, *_):
        os.close(self.number)

    def happened(self):
        try:
            return bool(os.read(self.number, 4096))
        except BlockingIOError:
            return False


class Input(Attack):
    def refuse_all(self, path, *words):
        """Checks that each command refuses the path, with an error of one line that contains the words."""
        for command in COMMANDS:
            arguments = [argument.replace("{}", str(path)) for argument in command]
            with self.subTest(" ".join(arguments)):
                outcome = self.run_manactl(*arguments)
                self.assert_refused(outcome, path)
                for word in words:
                    self.assertIn(word, outcome.err)

    def assert_refused(self, outcome, path):
        self.assert_exit(2, outcome)
        self.assert_one_line(outcome)
        self.assertIn(str(path), outcome.err)
        self.assertNotIn(SECRET, outcome.out + outcome.err)

    def foreign_folder(self):
        """A folder of another user beside a log that only root can read."""
        (self.folder / "secret.log").write_text(SECRET + "\n")
        (self.folder / "secret.log").chmod(0o600)
        folder = self.folder / "foreign"
        folder.mkdir()
        os.chown(folder, NOBODY, NOBODY)
        return folder

    def link(self, path, target, owner=NOBODY):
        path.symlink_to(target)
        os.chown(path, owner, owner, follow_symlinks=False)
        return path

    def test_a_device_is_refused_before_it_is_opened(self):
        for name, kind, number in (("zero", stat.S_IFCHR, (1, 5)), ("tty", stat.S_IFCHR, (5, 0)), ("disk", stat.S_IFBLK, (7, 0))):
            device = self.folder / name
            os.mknod(device, 0o600 | kind, os.makedev(*number))
            with Opened(device) as opened:
                self.refuse_all(device, "device")
                self.assertFalse(opened.happened(), name)

    def test_a_named_pipe_does_not_hang(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        self.refuse_all(pipe, "named pipe", "cat ")

    def test_a_socket_is_refused(self):
        path = self.folder / "socket"
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
            self.refuse_all(path, "socket")

    def test_links_of_another_user_are_not_followed(self):
        folder = self.foreign_folder()
        link = self.link(folder / "a.log", self.folder / "secret.log")
        self.link(folder / "directory", self.folder)
        own = self.link(folder / "root.log", self.folder / "secret.log", owner=0)  # as if moved here by the other user
        sticky = self.folder / "sticky"
        sticky.mkdir()
        sticky.chmod(0o1777)
        through = self.link(self.folder / "indirect", link, owner=0)
        for path in (link, folder / "directory/secret.log", own, through, self.link(sticky / "a.log", self.folder / "secret.log")):
            self.refuse_all(path, "symbolic link")

    def test_a_bundle_never_contains_a_file_that_a_link_leads_to(self):
        link = self.link(self.foreign_folder() / "a.log", self.folder / "secret.log")
        bundle = self.folder / "bundle.tar.gz"
        outcome = self.run_manactl("doctor", "--root", HEALTHY, "--log", link, "--bundle", bundle)
        self.assert_refused(outcome, link)
        self.assertFalse(bundle.exists())

    def test_a_hard_link_of_another_user_is_not_read(self):
        shared = self.folder / "shared"
        shared.mkdir()
        shared.chmod(0o1777)
        for folder in (self.foreign_folder(), shared):
            os.link(self.folder / "secret.log", folder / "hard.log")
            self.refuse_all(folder / "hard.log", "hard link")
            (folder / "hard.log").unlink()

    def test_a_link_that_others_can_move_is_not_followed(self):
        shared = self.folder / "shared"
        shared.mkdir()
        shared.chmod(0o777)
        self.refuse_all(self.link(shared / "link", self.folder / "secret.log", owner=0), "symbolic link")

    def test_a_captured_tree_is_not_reached_through_a_link(self):
        link = self.link(self.foreign_folder() / "tree", HEALTHY)
        for command in ("check", "doctor"):
            self.assert_refused(self.run_manactl(command, "--root", link), link)

    def test_links_of_root_and_own_links_are_followed(self):
        log = self.folder / "a.log"
        log.write_text("EAL: Error\n")
        log.chmod(0o644)
        self.assertIn(self.doctor(self.link(self.folder / "link", log, owner=0)).code, (0, 1))
        own = self.folder / "own"
        own.mkdir()
        os.chown(own, NOBODY, NOBODY)
        self.assertIn(self.doctor(self.link(own / "link", log), user=NOBODY).code, (0, 1))
        self.assertIn(self.doctor(self.link(self.folder / "up", "../" + self.folder.name + "/a.log", owner=0)).code, (0, 1))

    def test_files_of_other_users_are_read(self):
        folder = self.foreign_folder()
        (folder / "a.log").write_text("EAL: Error\n")
        os.chown(folder / "a.log", NOBODY, NOBODY)
        self.assertIn(self.doctor(folder / "a.log").code, (0, 1))

    def doctor(self, log, **options):
        return self.run_manactl("doctor", "--root", HEALTHY, "--log", log, **options)

    def test_process_substitution_and_standard_input_work(self):
        for script in (f'"$0" doctor --root {HEALTHY} --log <(echo EAL: Error) --json',
                       f'echo EAL: Error | "$0" doctor --root {HEALTHY} --log - --json',
                       f'echo EAL: Error | "$0" doctor --root {HEALTHY} --log /dev/stdin --json',
                       f'"$0" doctor --root {HEALTHY} --log /proc/self/fd/7 --json 7< <(echo EAL: Error)'):
            with self.subTest(script):
                outcome = run(["bash", "-c", script, MANACTL])
                self.assertIn(outcome.code, (0, 1), outcome)
                self.assertIn('"lines": 1', outcome.out)

    def test_descriptors_of_other_processes_are_refused(self):
        with open(self.folder / "a.log", "w+", encoding="utf-8") as log:
            log.write(SECRET)
            log.flush()
            path = f"/proc/{os.getpid()}/fd/{log.fileno()}"
            self.assert_refused(self.doctor(path), path)

    def test_a_bundle_is_not_read_from_a_device(self):
        path = self.folder / "tree.tar.gz"
        with tarfile.open(path, "w:gz") as archive:
            archive.add(HEALTHY, ".")
        self.assertIn(self.run_manactl("check", "--root", path).code, (0, 1))


if __name__ == "__main__":
    main()
