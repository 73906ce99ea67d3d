# SPDX-License-Identifier: MIT
"""The base of the attack suite: runs manactl as the victim of an attacker, in separate namespaces.

A test file calls main(). It is started as root and runs in new mount, network and IPC namespaces with empty tmpfs file systems
at the places where manactl keeps state, so it changes nothing on the machine. Tests that act as another user use run(user=NOBODY).
"""
import contextlib
import copy
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

MANACTL = str(pathlib.Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else ""
ROOT = pathlib.Path(__file__).resolve().parents[2]
HEALTHY = ROOT / "tests/fixtures/healthy-two-nics"
NOBODY = 65534
HANG = 600  # seconds, on the slowest machine
MEMORY_LIMIT = 512 << 20  # bytes: the most that any command may need for any input
STATE = ("/run", "/var/lib", "/etc/systemd", "/etc/tmpfiles.d")
MARK = "MANACTL_ATTACK_NAMESPACE"
# Escapes, characters that change the direction of text, separators of lines, and markup. SHOWN is what remains readable of it.
EVIL = ("\x1b]0;title\x07\x1b[31m\x9b2J\u202egnp.exe\u2067\u200e\u061c\ufeff\u2028\u2029"
        "<script>alert(1)</script>\"'><img src=x onerror=a>&\r")
SHOWN = "gnp.exe"
# C0 controls except tab and newline, DEL, C1 controls, and characters that change direction, break lines or are invisible.
CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
                      "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]")


class Outcome:
    """The end of a command: its exit code (negative: the signal), its output, its peak memory in bytes, its time in seconds."""

    def __init__(self, code, out, err, peak, seconds):
        self.code, self.out, self.err, self.peak, self.seconds = code, out, err, peak, seconds

    def __repr__(self):
        return f"exit {self.code}, {self.peak >> 20} MiB, {self.seconds:.1f} s\n{self.out[-2000:]}\n{self.err[-2000:]}"


class Attack(unittest.TestCase):
    """Each test gets an empty folder, self.folder, that every user can enter but only root can write to."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="manactl-attack-"))
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_manactl(self, *arguments, **options):
        return run([MANACTL, *map(str, arguments)], **options)

    def assert_exit(self, code, outcome):
        self.assertEqual(outcome.code, code, outcome)

    def assert_one_line(self, outcome):
        """Bad input gives one line on stderr and no stack trace."""
        self.assertEqual(len(outcome.err.strip().splitlines()), 1, outcome)

    def assert_plain(self, outcome):
        """The output has no characters that a terminal would interpret or hide."""
        self.assertIsNone(CONTROLS.search(outcome.out + outcome.err), outcome)

    def assert_small(self, outcome, divisor=1):
        """The input has 1/divisor of the size that is read, so the limit of the memory is divided too."""
        self.assertLess(outcome.peak, MEMORY_LIMIT / divisor, outcome)


def run(command, user=0, env=None, stdin=None, limits=(), preexec=None):
    """Runs a command to its end and returns its Outcome. `limits` are (resource, bytes or seconds) pairs for setrlimit(2)."""

    def prepare():
        for what, value in limits:
            resource.setrlimit(what, (value, value))
        if preexec:
            preexec()
        if user:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL, stdout=out,
                                   stderr=err, preexec_fn=prepare, start_new_session=True,
                                   env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", **(env or {})})
        if stdin is not None:
            process.stdin.write(stdin if isinstance(stdin, bytes) else stdin.encode())
            process.stdin.close()
        deadline = started + HANG
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)  # wait4(2) also returns the peak memory
            if pid:
                break
            if time.monotonic() > deadline:
                os.killpg(process.pid, signal.SIGKILL)
                os.wait4(process.pid, 0)
                process.returncode = -signal.SIGKILL
                raise AssertionError(f"{command} did not end within {HANG} s")
            time.sleep(0.005)
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
        return Outcome(process.returncode, *texts, usage.ru_maxrss << 10, time.monotonic() - started)


def paths_in(node, kind=object, path=()):
    """Yields the path of each value of this type in a JSON document."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        if isinstance(child, kind):
            yield (*path, key)
        yield from paths_in(child, kind, (*path, key))


def changed(document, paths, value):
    """A copy of a JSON document with this value at these paths."""
    document = copy.deepcopy(document)
    for *parents, key in paths:
        node = document
        for parent in parents:
            node = node[parent]
        node[key] = value
    return document


@contextlib.contextmanager
def attacker(work, user=NOBODY):
    """Runs work(ready) as another user in a child process from its call of ready() until the end of the block."""
    ready, report = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            work(lambda: os.write(report, b"x"))
        finally:
            os._exit(1)
    os.close(report)
    try:
        if not os.read(ready, 1):
            raise AssertionError("the attacker died")
        yield
    finally:
        os.close(ready)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def main():
    """Enters the namespaces, hides the state of the machine, and runs the tests of the calling file."""
    if os.geteuid() != 0:
        sys.exit("run it as root: it creates namespaces")
    if MARK not in os.environ:
        os.execvp("unshare", ["unshare", "--mount", "--net", "--ipc", "--propagation", "private", "--", "env", f"{MARK}=1",
                              sys.executable, *sys.argv])
    for place in STATE:
        os.makedirs(place, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", place], check=True)
    os.makedirs("/run/lock")
    os.chmod("/run/lock", 0o1777)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
