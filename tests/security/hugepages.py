# SPDX-License-Identifier: MIT
"""The base of attacks on prepare and its watchdog: a hugepage pool of plain files, with the real lock and journal."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time

import attack

POOL = pathlib.Path("/sys/devices/system/node/node0/hugepages/hugepages-2048kB")
JOURNAL = pathlib.Path("/var/lib/manactl/journal")
PAGES = 4
PREPARE = ("prepare", "--hugepages", str(PAGES))


def mount_pool():
    """Makes the hugepage pool plain files, for this mount namespace only."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", POOL], check=True)
    set_pages(0)


def set_pages(count):
    """Reserves this number of pages, of which none are free."""
    (POOL / "nr_hugepages").write_text(f"{count}\n")
    (POOL / "free_hugepages").write_text("0\n")


def pages():
    return int((POOL / "nr_hugepages").read_text())


def journal_files():
    return sorted(JOURNAL.iterdir()) if JOURNAL.is_dir() else []


def wait_until(condition, seconds=20):
    """Polls until the condition is true. A slow machine needs the whole time only when the test fails."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.001)
    return True


@contextlib.contextmanager
def real_time_priority():
    """Lets this process notice within 0.1 ms what another does, even on a loaded machine. Children do not inherit it."""
    with contextlib.suppress(PermissionError):  # in some containers
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def process_state(pid):
    """The state letter of a process, such as "T"; "" if it has ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def is_running(pid):
    return process_state(pid) not in ("", "Z", "X")


class HugepageAttack(attack.Attack):
    def setUp(self):
        super().setUp()
        mount_pool()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/var/lib"], check=True)
        for place in (POOL, "/var/lib"):
            self.addCleanup(subprocess.run, ["umount", "--lazy", place], check=True)
        self.addCleanup(self.end_watchdog)

    def end_watchdog(self):
        for entry in self.entries():
            if entry["watchdog"]:
                with contextlib.suppress(ProcessLookupError):  # it has ended
                    os.kill(int(entry["watchdog"].split()[0]), signal.SIGKILL)

    def entries(self):
        """The first records of the journal's files."""
        return [json.loads(file.read_text().splitlines()[0].partition(" ")[2]) for file in journal_files()]

    def is_rolled_back(self):
        return pages() == 0 and not journal_files()

    def prepare_unconfirmed(self, seconds=600, **options):
        """Prepares with a confirmation timeout, and returns the PID of the watchdog."""
        self.assert_exit(0, self.run_manactl(*PREPARE, "--confirm-timeout", seconds, **options))
        self.assertEqual(pages(), PAGES)
        return int(self.entries()[0]["watchdog"].split()[0])

    def prepare_and_stop(self, *arguments):
        """Stops prepare in the middle of its transaction, and returns its process."""
        for _ in range(100):
            process = subprocess.Popen([attack.MANACTL, *PREPARE, *arguments], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            with real_time_priority():
                while process.poll() is None and not self.has_journal():
                    time.sleep(0.00005)
                process.send_signal(signal.SIGSTOP)
            wait_until(lambda: process_state(process.pid) in ("T", "Z"))
            if process_state(process.pid) == "T" and b'"ready"' not in self.journal_bytes():
                return process
            process.send_signal(signal.SIGCONT)
            process.communicate()
            self.end_watchdog()
            self.run_manactl("restore", "--all")
        self.fail("prepare cannot be stopped in the middle of its transaction")

    @staticmethod
    def has_journal():
        return JOURNAL.is_dir() and any(name.endswith(".jsonl") for name in os.listdir(JOURNAL))

    @staticmethod
    def journal_bytes():
        return b"".join(file.read_bytes() for file in JOURNAL.glob("*.jsonl"))
