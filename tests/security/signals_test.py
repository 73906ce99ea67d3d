# SPDX-License-Identifier: MIT
"""No signal and no limit may leave a transaction half done."""
import os
import pathlib
import random
import resource
import signal
import subprocess

import attack
from hugepages import PAGES, PREPARE, HugepageAttack, pages

# Signals of terminals, timers, limits, pipes, faults and programs. DeferredSignals.DefersEverySignalThatEndsAProcess has them all.
ENDING = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGALRM, signal.SIGVTALRM, signal.SIGXCPU,
          signal.SIGPIPE, signal.SIGSEGV, signal.SIGUSR1, signal.SIGUSR2, signal.SIGRTMAX]


class Transactions(HugepageAttack):
    def test_a_signal_rolls_back(self):
        for number in ENDING:
            with self.subTest(signal=number):
                code, err = self.interrupt(number)
                while code == 0:  # it arrived between the last step and the record of the success
                    self.assert_prepared_and_restore()
                    code, err = self.interrupt(number)
                self.assertEqual(code, 128 + number, err)
                self.assertIn("Everything was rolled back", err)
                self.assertTrue(self.is_rolled_back())

    def interrupt(self, number):
        process = self.prepare_and_stop()
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        _, err = process.communicate()
        return process.returncode, err

    def assert_prepared_and_restore(self):
        self.assertEqual(pages(), PAGES)
        self.assertIn(b'"ready"', self.journal_bytes())
        self.assert_exit(0, self.run_manactl("restore", "--all"))
        self.assertTrue(self.is_rolled_back())

    def test_a_storm_of_signals_leaves_nothing_half_done(self):
        rng = random.Random(1)
        outcomes = set()
        for _ in range(15):
            process = subprocess.Popen([attack.MANACTL, *PREPARE], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for _ in range(rng.randrange(1000)):
                if process.poll() is None:
                    process.send_signal(0)  # varies the time of the first signal
            while process.poll() is None:
                process.send_signal(rng.choice(ENDING))
            outcomes.add(process.returncode)
            if not self.is_rolled_back():
                self.assert_prepared_and_restore()
        self.assertFalse(outcomes & {6, 7, 70}, outcomes)

    def test_a_limit_on_cpu_time_does_not_kill_it(self):
        before = resource.getrlimit(resource.RLIMIT_CPU)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_CPU, before)
        resource.setrlimit(resource.RLIMIT_CPU, (1000, before[1]))  # inherited
        process = self.prepare_and_stop()
        text = pathlib.Path(f"/proc/{process.pid}/limits").read_text()
        process.send_signal(signal.SIGCONT)
        process.communicate()
        self.assertRegex(text, "Max cpu time +unlimited +unlimited")

    def test_closed_pipes_do_not_end_it(self):
        for number in (1, 2):
            reader, writer = os.pipe()
            os.close(reader)
            streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, ("stdout", "stderr")[number - 1]: writer}
            subprocess.run([attack.MANACTL, *PREPARE], check=False, **streams)
            os.close(writer)
            self.assert_prepared_and_restore()


class FileSizes(HugepageAttack):
    def test_a_limit_on_the_size_of_files_rolls_back(self):
        codes = []
        for size in range(0, 4096, 96):
            def limit(size=size):
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
                signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            process = subprocess.run([attack.MANACTL, *PREPARE], capture_output=True, text=True, preexec_fn=limit, check=False)
            codes.append(process.returncode)
            self.assertGreaterEqual(process.returncode, 0, f"killed at {size} bytes")
            if process.returncode == 0:
                break
            self.assertEqual(len(process.stderr.splitlines()), 1 + (process.returncode == 6), process)
            self.assertIn("File too large", process.stderr)
            self.assertTrue(self.is_rolled_back(), f"{size} bytes")
        self.assertEqual(codes[-1], 0)
        self.assertGreater(codes.count(6), 3, codes)

    def test_a_program_of_sim_has_the_default_action(self):
        outcome = self.run_manactl("sim", "--", "/bin/sh", "-c", "ulimit -c 0; kill -XFSZ $$")
        self.assertIn(outcome.code, (128 + signal.SIGXFSZ, 3), outcome)  # 3: built without the adapter


if __name__ == "__main__":
    attack.main()
