# SPDX-License-Identifier: MIT
"""mana-device among other users: files, sockets and processes that they control, and what the process may still do."""
import os
import pathlib
import socket
import subprocess
import sys
import time

import attack

sys.path.insert(0, str(attack.ROOT / "tests/device"))
import guest  # noqa: E402: found through the line above

DEVICE = pathlib.Path(attack.MANACTL).parents[1] / "device/mana-device"


def fields(pid):
    """/proc/PID/status."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, value in (line.split(":", 1) for line in lines)}


class Files(attack.Attack):
    def setUp(self):
        super().setUp()
        self.shared = self.folder / "tmp"  # as /tmp: everyone can create files
        self.shared.mkdir()
        self.shared.chmod(0o1777)
        self.theirs = self.shared / "theirs"
        self.theirs.mkdir()
        os.chown(self.theirs, attack.NOBODY, attack.NOBODY)
        self.target = self.folder / "target"
        self.target.write_text("secret")

    def link(self, name):
        path = self.shared / name
        path.symlink_to(self.target)
        os.chown(path, attack.NOBODY, attack.NOBODY, follow_symlinks=False)
        return path

    def refused(self, *options, path=None):
        outcome = attack.run([DEVICE, *options, path or self.folder / "qemu"])
        self.assert_exit(1, outcome)
        self.assert_one_line(outcome)
        self.assertEqual(self.target.read_text(), "secret")
        return outcome.err

    def test_traces_and_captures_do_not_follow_links(self):
        for option in ("--trace-file", "--pcap"):
            self.assertIn("is a symbolic link", self.refused(f"{option}={self.link(option)}"))
        fifo = self.shared / "fifo"
        os.mkfifo(fifo)
        self.assertIn("is not a regular file", self.refused(f"--trace-file={fifo}"))
        hard = self.shared / "hard"
        os.link(self.target, hard)
        self.assertIn("has several hard links", self.refused(f"--trace-file={hard}"))

    def test_only_the_user_can_read_a_trace(self):
        trace = self.folder / "trace"
        with guest.device(DEVICE, f"--trace-file={trace}", prepare=lambda: os.umask(0)) as tested:
            self.assertEqual(trace.stat().st_mode & 0o777, 0o600)
            tested.stop()

    def listening(self, path):
        """Another user listens on this path."""

        def listen(ready):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
                listener.bind(str(path))
                listener.listen()
                ready()
                with listener.accept()[0] as client:
                    client.recv(1)

        return attack.attacker(listen)

    def test_connects_to_no_other_user(self):
        path = self.shared / "link"
        with self.listening(path):
            self.assertIn(f"belongs to UID {attack.NOBODY}", self.refused(f"--connect=0={path}"))
            os.chown(path, 0, 0)  # now only the process shows who listens
            self.assertIn(f"belongs to UID {attack.NOBODY}", self.refused(f"--connect=0={path}"))

    def test_uses_no_socket_in_the_directory_of_another_user(self):
        for options, path in ((["--connect=0=" + str(self.theirs / "link")], None), ([f"--console={self.theirs / 'console'}"], None),
                              ([], self.theirs / "qemu")):
            self.assertIn(f"'{self.theirs}' belongs to UID {attack.NOBODY}", self.refused(*options, path=path))

    @staticmethod
    def is_closed(path):
        with guest.connect(path) as client:
            try:
                return client.recv(1) == b""
            except ConnectionResetError:
                return True

    def test_accepts_no_other_user(self):
        with guest.device(DEVICE) as tested:
            pathlib.Path(tested.qemu.parent).chmod(0o755)
            for path in (tested.qemu, tested.console):
                path.chmod(0o777)
                with attack.attacker(lambda ready, path=path: ready() if self.is_closed(path) else None):
                    pass  # the attacker is ready once the device has closed the connection
            with guest.connect(tested.console) as console:
                self.assertIn("ports", tested.ask(console, "statistics"))
            tested.stop()


class Confinement(attack.Attack):
    def test_the_process_has_no_rights_when_it_serves(self):
        with guest.device(DEVICE, "--verbose") as tested:
            found = fields(tested.process.pid)
            for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
                self.assertEqual(int(found[name], 16), 0, name)
            self.assertEqual((found["NoNewPrivs"], found["Seccomp"]), ("1", "2"))
            errors = tested.stop()
        self.assertIn("confined: no capabilities, no new privileges, ", errors)
        self.assertIn("system calls restricted", errors)

    def test_it_creates_its_sockets_again(self):
        """The process that remains takes over the socket of the one that was killed."""
        link = self.folder / "link"
        with guest.device(DEVICE, f"--connect=0={link}") as first, guest.device(DEVICE, f"--connect=0={link}") as second:
            first.process.kill()
            first.process.wait()
            deadline = time.monotonic() + guest.SECONDS
            while not self.can_connect(link):
                self.assertLess(time.monotonic(), deadline)
            with guest.device(DEVICE, f"--connect=0={link}") as third:
                third.stop()
            second.stop()
        self.assertFalse(link.exists())

    @staticmethod
    def can_connect(path):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            return client.connect_ex(str(path)) == 0

    def test_it_works_with_relative_paths(self):
        work = self.folder / "work"
        work.mkdir()
        process = subprocess.Popen([DEVICE, "--connect=0=link", "socket"], cwd=work, stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(process.stdout.readline(), "ready\n")
            self.assertEqual(sorted(path.name for path in work.iterdir()), ["link", "socket"])
            process.terminate()
            self.assertEqual(process.wait(10), 0)
            self.assertEqual([*work.iterdir()], [])
        finally:
            process.kill()
            process.communicate()


if __name__ == "__main__":
    attack.main()
