# SPDX-License-Identifier: MIT
"""Hostile callers: closed descriptors, outputs that cannot be written, storms of signals."""
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import time

from attack import HEALTHY, MANACTL, Attack, main, run
from hugepages import PAGES, PREPARE, journal_files, mount_pool, pages

RESULTS = pathlib.Path("/var/lib/manactl/results")
BENCH = ("bench", "--vdev", "net_null0", "--no-huge", "--duration", "50ms", "--interval", "20ms")
INTERNAL, CLOSED = 70, "cannot write the result: stdout is closed"
SETS = [numbers for count in range(4) for numbers in itertools.combinations((0, 1, 2), count)]
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def setUpModule():
    mount_pool()


class Descriptors(Attack):
    def setUp(self):
        super().setUp()
        shutil.rmtree(RESULTS, ignore_errors=True)

    def closed(self, numbers, *arguments):
        """Runs manactl without these descriptors, and checks that it reports a closed stdout."""

        def close():
            for number in numbers:
                os.close(number)

        outcome = self.run_manactl(*arguments, preexec=close)
        self.assert_exit(INTERNAL if 1 in numbers else 0, outcome)
        self.assertEqual(CLOSED in outcome.err, 1 in numbers and 2 not in numbers, outcome)

    def for_each_set(self, arguments, check):
        """Runs a command without each set of descriptors, and then the check of the file that it wrote."""
        for numbers in SETS:
            with self.subTest(closed=numbers):
                self.closed(numbers, *arguments)
                check()

    def test_a_bundle_gets_no_output(self):
        bundle = self.folder / "bundle.tar.gz"
        sizes = set()

        def check():
            with tarfile.open(bundle) as archive:
                json.load(archive.extractfile("manactl/report.json"))
            sizes.add(bundle.stat().st_size)
            bundle.unlink()

        self.for_each_set(("doctor", "--root", HEALTHY, "--bundle", bundle), check)
        self.assertEqual(len(sizes), 1)

    def test_a_saved_result_gets_no_output(self):
        def check():
            (file,) = RESULTS.iterdir()
            self.assertEqual(json.loads(file.read_text())["schema"], "manactl.bench/2")
            file.unlink()

        self.for_each_set(BENCH, check)

    def test_a_journal_gets_no_output(self):
        def check():
            (file,) = journal_files()
            for line in file.read_text().splitlines():
                json.loads(line.partition(" ")[2])
            self.assertEqual(pages(), PAGES)
            self.assert_exit(0, self.run_manactl("restore", "--all"))
            self.assertEqual((pages(), journal_files()), (0, []))

        self.for_each_set(PREPARE, check)

    def test_restore_works_without_descriptors(self):
        for numbers in SETS:
            self.assert_exit(0, self.run_manactl(*PREPARE))
            self.closed(numbers, "restore", "--all")
            self.assertEqual((pages(), journal_files()), (0, []))

    def test_a_capture_gets_no_output_and_the_program_no_memory_of_the_adapter(self):
        capture = self.folder / "capture.pcap"
        child = (MANACTL, "bench", "--sim", "--duration", "20ms", "--rate", "1kpps", "--no-save")

        def check():
            self.assertIn(capture.read_bytes()[:4], (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1"))
            capture.unlink()

        self.for_each_set(("sim", "--write", capture, "--", *child), check)

    def test_the_adapter_uses_only_counters_of_fixed_size(self):
        """Otherwise each access to the counters could end the program. The program replaces their file by one without seals."""
        script = """if True:
            import ctypes, os
            counters = int(os.environ["MANACTL_SIM_SETUP"].split("counters=")[1].split()[0])
            other = os.memfd_create("other")
            os.ftruncate(other, os.fstat(counters).st_size)
            os.dup2(other, counters)
            ctypes.CDLL(None).ibv_get_device_list(None)"""
        outcome = self.run_manactl("sim", "--", sys.executable, "-c", script)
        self.assert_exit(2, outcome)
        self.assertIn("has no counters of fixed size: start the program with 'manactl sim'", outcome.err)

    def test_a_full_output_is_reported(self):
        for command in (("--version",), ("check", "--root", HEALTHY), ("decode", "--list"), BENCH):
            with self.subTest(command):
                outcome = run(["bash", "-c", '"$@" >/dev/full', "-", MANACTL, *map(str, command)])
                self.assert_exit(INTERNAL, outcome)
                self.assertIn("No space left", outcome.err)


class Signals(Attack):
    def storm(self, command, delay, **variables):
        """Starts a command and sends signals after the delay, until it ends. Returns its exit code; negative: the signal."""
        rng = random.Random(f"{command} {delay}")
        process = subprocess.Popen([MANACTL, *map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env={**os.environ, **variables})
        deadline = time.monotonic() + 20
        time.sleep(delay)
        while process.poll() is None:
            process.send_signal(rng.choice(ENDING))
            self.assertLess(time.monotonic(), deadline)
        return process.returncode

    def test_restore_is_complete_or_can_be_repeated(self):
        codes = []
        for delay in range(20):
            self.assert_exit(0, self.run_manactl(*PREPARE))
            codes.append(self.storm(("restore", "--all"), delay / 2000))
            self.assertIn(codes[-1], (0, 129, 130, 143, -1, -2, -15))
            self.assert_exit(0, self.run_manactl("restore", "--all"))
            self.assertEqual((pages(), journal_files()), (0, []))
        self.assertTrue(any(codes), codes)

    def test_bench_and_sim_leave_nothing_behind(self):
        commands = {
            "vdev": ("bench", "--vdev", "net_null0", "--no-huge", "--duration", "60"),
            "sim": ("bench", "--sim", "--duration", "60"),
            "sleep": ("sim", "--", "sleep", "60"),
            "fwd": ("bench", "--sim", "--mode", "fwd", "--duration", "60"),
        }
        temporary = self.folder / "tmp"
        temporary.mkdir(mode=0o700)
        for (name, command), delay in itertools.product(commands.items(), (0.0, 0.02, 0.1, 0.4)):
            with self.subTest(f"{name} after {delay} s"):
                mark = f"{name}-{delay}"
                code = self.storm(command, delay, TMPDIR=str(temporary), MARK_OF_ATTACK=mark)
                self.assertIn(code, (129, 130, 143, -1, -2, -15))
                deadline = time.monotonic() + 5
                while (self.processes(mark) or [*temporary.iterdir()]) and time.monotonic() < deadline:
                    time.sleep(0.01)
                self.assertEqual(self.processes(mark), [])
                self.assertEqual([*temporary.iterdir()], [])
                for file in RESULTS.iterdir() if RESULTS.is_dir() else ():
                    json.loads(file.read_text())
                    self.assertTrue(file.name.endswith(".json"), file)
                    file.unlink()

    @staticmethod
    def processes(mark):
        """Command lines of the processes that a test has started."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if f"MARK_OF_ATTACK={mark}\0".encode() in (path / "environ").read_bytes():
                    found.append((path / "cmdline").read_text())
            except OSError:
                continue
        return found

    def test_ignored_signals_do_not_hang_it(self):
        def ignore():
            for number in (*ENDING, signal.SIGPIPE, signal.SIGCHLD, signal.SIGALRM):
                signal.signal(number, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, {*ENDING, signal.SIGCHLD, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2})

        for command in (PREPARE, ("restore", "--all"), BENCH, ("sim", "--", "true"), ("check", "--root", HEALTHY),
                        ("bench", "--sim", "--duration", "50ms", "--no-save")):
            with self.subTest(command):
                self.assert_exit(0, self.run_manactl(*command, preexec=ignore))
        self.assertEqual((pages(), journal_files()), (0, []))


if __name__ == "__main__":
    main()
