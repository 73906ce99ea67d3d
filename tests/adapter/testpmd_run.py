# SPDX-License-Identifier: MIT
"""Runs testpmd with DPDK's net_mana on the software adapter, for net_mana_test.py."""
import contextlib
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

RUN_SECONDS = 0.4  # from testpmd's prompt to the newline that ends testpmd; short, because no test measures rates
TIMEOUT_SECONDS = 60
MAC = "00:0d:3a:76:3b:d0"
DEVICE = f"--vdev=7870:00:00.0,mac={MAC}"
COMMON = ["--txd=128", "--rxd=128", "--total-num-mbufs=16384"]
BURST = 32  # packets; net_mana counts those of its last burst only when it sends again


class Run:
    """One run of testpmd under manactl sim: its log, and the report of the adapter as JSON."""

    def __init__(self, options, device=DEVICE, sim=(), eal=(), seconds=RUN_SECONDS, commands=(), kill=None):
        self.set_up(seconds, commands, kill)
        command = [*testpmd_on_adapter(sim), "-v", *eal]
        command += [device] if device else []
        # The console of testpmd reads a file of commands before its terminal.
        with tempfile.NamedTemporaryFile("w", prefix="manactl-", suffix=".txt") as file:
            start = ["-i", f"--cmdline-file={file.name}"] if commands else ["--auto-start"]
            print(*commands, sep="\n", file=file, flush=True)
            self.run([*command, "--", *COMMON, *start, *options])

    def set_up(self, seconds=RUN_SECONDS, commands=(), kill=None):
        self.seconds = seconds
        self.commands = [*commands]
        self.kill = kill
        self.late = False
        self.files_before = files_of_the_adapter()

    def run(self, command):
        # On a terminal, testpmd does not buffer its output. A newline on stdin makes testpmd exit.
        terminal, program_side = pty.openpty()
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=program_side,
                              bufsize=0) as process:
            os.close(program_side)
            self.log = self.read_log(terminal, process)
            self.report = json.loads(process.stdout.read() or "{}")
        os.close(terminal)

    def read_log(self, terminal, process):
        def end_late():
            self.late = True
            process.terminate()

        deadline = threading.Timer(TIMEOUT_SECONDS, end_late)
        deadline.start()
        log = ""
        while True:
            try:
                block = os.read(terminal, 65536).decode(errors="replace").replace("\r", "")
            except OSError:  # EIO: the last writer has closed the terminal
                deadline.cancel()
                if self.late:
                    sys.exit(f"testpmd did not end within {TIMEOUT_SECONDS} s:\n{log[-4000:]}")
                return log
            ready = "testpmd> " if self.commands else "Press enter to exit"
            if ready in log + block and ready not in log:
                time.sleep(self.seconds)
                self.end(process)
            log += block

    def end(self, process):
        """Ends testpmd, or kills the launcher or testpmd with SIGKILL."""
        if self.kill:
            self.children = children_of(process.pid)
            victim = process.pid
            if self.kill == "testpmd":
                # The other child is a fork of 'manactl sim'.
                victim, = (child for child in self.children if "\0sim\0" not in read(f"/proc/{child}/cmdline"))
            os.kill(victim, signal.SIGKILL)
            return
        with contextlib.suppress(BrokenPipeError):  # a command may have made testpmd crash
            process.stdin.write(b"stop\nquit\n" if self.commands else b"\n")

    def port(self, index=0):
        return self.report["ports"][index]

    def total(self, counter):
        """The final value of a testpmd counter, summed over all ports."""
        found = re.findall(rf"Accumulated forward statistics.*?{counter}: (\d+)", self.log, re.S)
        return int(found[-1]) if found else 0

    def check(self, condition, what):
        if not condition:
            sys.exit(f"{what}\n{json.dumps(self.report, indent=1)}\n{self.log[-4000:]}")

    def violations(self):
        """The broken rules, except those that a known defect of this release of DPDK explains."""
        return {rule["id"] for rule in self.report["rules"] if rule["known_defect"] is None}

    def check_contract(self):
        self.check(not self.violations(), "contract violations")
        self.check(self.report["status"] == 0, "testpmd failed")
        self.check(self.report["exit"] == 0, "known defects of the driver must not change the exit code")

    def check_counters(self, queues=1):
        """Compares the counters of the driver with those of the adapter."""
        sent, received = self.port()["tx_packets"], self.port()["rx_packets"]
        lag = sent - self.total("TX-packets")
        self.check(0 <= lag <= BURST * queues, f"the driver counts {lag} fewer sent packets")
        # The driver has not read the packets in its receive rings.
        unread = received - self.total("RX-packets")
        self.check(0 <= unread <= 128 * queues, f"the driver counts {unread} fewer received packets")

    def release(self):
        """The release of DPDK, for example (26, 7)."""
        found = re.search(r"EAL: RTE Version: 'DPDK (\d+)\.(\d+)", self.log)
        self.check(found, "the log does not contain the DPDK version")
        return int(found[1]), int(found[2])

    def check_nothing_is_left(self, processes=()):
        """Waits until the processes have ended and all files of adapters that started during the run are gone.

        Other tests may have created some of these files.
        """
        files = files_of_the_adapter() - self.files_before
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while remaining := [*filter(os.path.exists, files), *filter(is_running, processes)]:
            self.check(time.monotonic() < deadline, f"left behind: {remaining}")
            time.sleep(0.05)

    def check_log(self, *lines):
        for line in lines:
            self.check(line in self.log, f"the log does not contain: {line}")


class ExampleRun(Run):
    """Runs lines of EXAMPLES of a man page in a shell.

    Its `manactl` reads the captured VM `tree`. Its `dpdk-testpmd` runs on an adapter with the address `mac`, with
    the CPUs and the memory that this machine has.
    """

    def __init__(self, lines, tree, mac):
        self.set_up()
        programs = {"manactl": f'exec {shlex.join([sys.argv[1], "--root", tree])} "$@"',
                    "dpdk-testpmd": f'shift 2 # -l 0-1\nexec {shlex.join(testpmd_on_adapter(["--mac", mac]))} "$@" '
                                    "--total-num-mbufs=16384"}
        with tempfile.TemporaryDirectory(prefix="manactl-") as folder:
            for name, command in programs.items():
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\n{command}\n")
                os.chmod(path, 0o755)
            self.run(["env", f"PATH={folder}:{os.environ['PATH']}", "sh", "-c", "\n".join(lines)])


def testpmd_on_adapter(sim):
    """The command that runs testpmd on an adapter, up to the options of EAL that every run has."""
    cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    return [sys.argv[1], "sim", "--json", *sim, "--", sys.argv[2], f"--lcores=(0,1)@({cpus})",
            "--no-huge", "-m", "256", f"--file-prefix=manactl-{os.getpid()}"]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def children_of(pid):
    return [int(child) for child in read(f"/proc/{pid}/task/{pid}/children").split()]


def is_running(pid):
    """False for a zombie: the first process of a container may never wait for an orphan."""
    try:
        return read(f"/proc/{pid}/stat").rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def files_of_the_adapter():
    return {f"{folder}/{name}" for folder in ("/dev/shm", "/run", "/tmp") for name in os.listdir(folder)
            if name.startswith("manactl-sim")}
