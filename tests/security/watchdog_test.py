# SPDX-License-Identifier: MIT
"""The watchdog of --confirm-timeout must roll back whatever ends, stops, limits or confines it and its caller."""
import contextlib
import os
import pathlib
import resource
import signal
import subprocess

import attack
from hugepages import JOURNAL, PAGES, POOL, HugepageAttack, is_running, pages, process_state, wait_until

BUSCTL = "/usr/bin/busctl"


class Signals(HugepageAttack):
    def test_sigterm_makes_it_roll_back_at_once(self):
        watchdog = self.prepare_unconfirmed()
        os.kill(watchdog, signal.SIGTERM)
        self.assertTrue(wait_until(self.is_rolled_back))
        self.assertTrue(wait_until(lambda: not is_running(watchdog)))

    def test_sigterm_does_not_roll_back_what_was_confirmed(self):
        watchdog = self.prepare_unconfirmed()
        self.assert_exit(0, self.run_manactl("confirm"))
        os.kill(watchdog, signal.SIGTERM)
        self.assertTrue(wait_until(lambda: not is_running(watchdog)))
        self.assertFalse(self.is_rolled_back())

    def test_no_other_signal_ends_or_stops_it(self):
        watchdog = self.prepare_unconfirmed()
        for number in set(range(1, 65)) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM}:  # 32 and 33 belong to glibc
            os.kill(watchdog, number)
        self.assertIn(process_state(watchdog), "RS")
        os.kill(watchdog, signal.SIGTERM)
        self.assertTrue(wait_until(self.is_rolled_back))

    def test_sigterm_ends_a_run_that_hangs(self):
        process = self.prepare_and_stop("--confirm-timeout", "600")
        os.kill(int(self.entries()[0]["watchdog"].split()[0]), signal.SIGTERM)
        self.assertTrue(wait_until(self.is_rolled_back))
        process.communicate()
        self.assertEqual(process.returncode, -signal.SIGKILL)

    def test_status_reports_a_watchdog_that_is_stopped(self):
        watchdog = self.prepare_unconfirmed()
        os.kill(watchdog, signal.SIGSTOP)
        self.assertTrue(wait_until(lambda: process_state(watchdog) == "T"))
        self.assertIn("the watchdog is stopped", self.run_manactl("status").out)
        os.kill(watchdog, signal.SIGCONT)
        self.assertTrue(wait_until(lambda: process_state(watchdog) == "S"))
        self.assertIn("rolled back in", self.run_manactl("status").out)


class LaterRuns(HugepageAttack):
    """A restore and the next prepare happen between two polls of the first watchdog, which is stopped meanwhile."""

    def prepare_again(self):
        """Returns the first watchdog, the second one, and the journal entry of the second run."""
        first = self.prepare_unconfirmed()
        (entry,) = self.entries()
        os.kill(first, signal.SIGSTOP)
        self.addCleanup(self.end, first)
        self.assertTrue(wait_until(lambda: process_state(first) == "T"))
        self.assert_exit(0, self.run_manactl("restore", "--all"))
        self.assertTrue(self.is_rolled_back())
        second = self.prepare_unconfirmed()
        (later,) = self.entries()
        self.assertEqual(later["id"], entry["id"])
        self.assertNotEqual(second, first)
        return first, second, later

    @staticmethod
    def end(watchdog):
        if is_running(watchdog):
            os.kill(watchdog, signal.SIGKILL)

    def assert_unchanged(self, second, entry):
        self.assertEqual((pages(), self.entries()), (PAGES, [entry]))
        self.assertTrue(is_running(second))

    def test_it_ignores_a_later_run(self):
        first, second, entry = self.prepare_again()
        os.kill(first, signal.SIGCONT)
        self.assertTrue(wait_until(lambda: not is_running(first)))
        self.assert_unchanged(second, entry)

    def test_it_ignores_a_later_run_when_it_must_roll_back(self):
        first, second, entry = self.prepare_again()
        os.kill(first, signal.SIGTERM)
        os.kill(first, signal.SIGCONT)
        self.assertTrue(wait_until(lambda: not is_running(first)))
        self.assert_unchanged(second, entry)
        os.kill(second, signal.SIGTERM)
        self.assertTrue(wait_until(self.is_rolled_back))


class Failures(HugepageAttack):
    def test_it_repeats_a_restore_that_fails(self):
        watchdog = self.prepare_unconfirmed()
        subprocess.run(["mount", "-o", "remount,ro", POOL], check=True)
        os.kill(watchdog, signal.SIGTERM)
        self.assertFalse(wait_until(lambda: not is_running(watchdog), seconds=1))
        self.assertFalse(self.is_rolled_back())
        subprocess.run(["mount", "-o", "remount,rw", POOL], check=True)
        self.assertTrue(wait_until(self.is_rolled_back))

    def test_an_unreadable_journal_does_not_end_it(self):
        watchdog = self.prepare_unconfirmed(2)
        JOURNAL.chmod(0o777)  # a journal that others can write is not trusted
        self.assertFalse(wait_until(lambda: not is_running(watchdog), seconds=3))
        JOURNAL.chmod(0o700)
        self.assertTrue(wait_until(self.is_rolled_back))


class Inheritance(HugepageAttack):
    def test_it_closes_the_descriptors_of_the_caller(self):
        reader, writer = os.pipe()
        os.set_inheritable(writer, True)
        process = subprocess.run([attack.MANACTL, "prepare", "--hugepages", "4", "--confirm-timeout", "600"],
                                 stdout=subprocess.DEVNULL, pass_fds=[writer], check=False)
        os.close(writer)
        self.assertEqual(process.returncode, 0)
        os.set_blocking(reader, False)
        self.assertEqual(os.read(reader, 1), b"", "the watchdog holds the pipe")
        os.close(reader)

    def test_it_lifts_limits_and_leaves_the_session(self):
        def set_soft_limits():
            for what, value in ((resource.RLIMIT_CPU, 100), (resource.RLIMIT_FSIZE, 1 << 20)):
                resource.setrlimit(what, (value, resource.RLIM_INFINITY))

        watchdog = pathlib.Path(f"/proc/{self.prepare_unconfirmed(preexec=set_soft_limits)}")
        text = (watchdog / "limits").read_text()
        for name in ("cpu time", "file size"):
            self.assertRegex(text, rf"Max {name} +unlimited +unlimited")
        self.assertRegex(text, "Max core file size +0 +0")
        lower = "echo -1000 2>/dev/null >/proc/self/oom_score_adj; cat /proc/self/oom_score_adj"  # needs CAP_SYS_RESOURCE
        self.assertEqual((watchdog / "oom_score_adj").read_text(), attack.run(["/bin/bash", "-c", lower]).out)
        self.assertRegex((watchdog / "status").read_text(), r"Umask:\t0077\n")
        self.assertEqual(os.readlink(watchdog / "cwd"), "/")
        self.assertEqual({os.readlink(watchdog / f"fd/{n}") for n in range(3)}, {"/dev/null"})
        self.assertEqual(os.getsid(int(watchdog.name)), int(watchdog.name))


class Scope(HugepageAttack):
    """systemd itself runs in the virtual VM. Here a script takes the place of busctl(1)."""

    def setUp(self):
        super().setUp()
        os.makedirs("/run/systemd/system", exist_ok=True)
        self.addCleanup(os.rmdir, "/run/systemd/system")

    @contextlib.contextmanager
    def in_place_of_busctl(self, script, mode=0o755):
        program = self.folder / "busctl"
        program.write_text(script)
        program.chmod(mode)
        subprocess.run(["mount", "--bind", program, BUSCTL], check=True)
        try:
            yield
        finally:
            subprocess.run(["umount", "--lazy", BUSCTL], check=True)

    def test_it_asks_systemd_for_a_scope_of_its_own(self):
        record, environment = self.folder / "arguments", self.folder / "environment"
        script = (f"#!/bin/sh\nprintf '%s\\n' \"$@\" >{record}\ncat /proc/$$/environ >{environment}\n"
                  "echo 'Call failed: Access denied' >&2\nexit 1\n")
        other = self.folder / "path/busctl"
        other.parent.mkdir()
        other.write_text(f"#!/bin/sh\ntouch {self.folder}/wrong\n")
        other.chmod(0o755)
        variables = {"PATH": f"{other.parent}:/usr/bin:/bin", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/x"}
        with self.in_place_of_busctl(script):
            watchdog = self.prepare_unconfirmed(env=variables)
        words = record.read_text().splitlines()
        self.assertEqual(words[0], "call")
        self.assertEqual(words[4], "StartTransientUnit")
        self.assertEqual(words[6], f"manactl-watchdog-hugepages-1-{watchdog}.scope")
        self.assertEqual(words[words.index("PIDs"):][:4], ["PIDs", "au", "1", str(watchdog)])
        self.assertEqual(environment.read_bytes(), b"")
        self.assertFalse((self.folder / "wrong").exists(), "busctl was found in PATH")

    def test_prepare_works_when_systemd_does_not_help(self):
        for script, mode in (("#!/bin/sh\nexec sleep 1000\n", 0o755), ("#!/bin/sh\nkill -9 $$\n", 0o755),
                             ("#!/bin/sh\ntail -c 1000000 /dev/zero\n", 0o755), ("not a program\n", 0o644)):
            with self.subTest(script), self.in_place_of_busctl(script, mode):
                watchdog = self.prepare_unconfirmed()
                os.kill(watchdog, signal.SIGTERM)
                self.assertTrue(wait_until(self.is_rolled_back))


if __name__ == "__main__":
    attack.main()
