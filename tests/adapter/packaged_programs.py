# SPDX-License-Identifier: MIT
"""Runs unmodified programs of Debian 13 on the software adapter, for programs_test.py.

The programs run in namespaces of their own, so that they find their files and hugepages where an installed program
does, and end with the test.
"""
import fcntl
import glob
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time

HUGEPAGES = 640  # of 2 MiB: Open vSwitch uses 512, and Suricata 106
TIMEOUT_SECONDS = 300  # limit of each wait; only a test that hangs reaches it
POOL = "/proc/sys/vm/nr_hugepages"
FOLDER = "/run/manactl-test"  # /run is an empty tmpfs in the namespaces
SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))


def enter_namespaces():
    """Reserves hugepages, and runs this script again in new namespaces. Returns only there; the original exits with its status.

    A lock keeps other tests from changing the number of hugepages.
    """
    if "--isolated" in sys.argv:
        sys.argv.remove("--isolated")
        return mount_filesystems()
    with open(POOL, "r+", encoding="ascii") as pool:
        fcntl.flock(pool, fcntl.LOCK_EX)
        before = int(pool.read())
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
        reserve(before + HUGEPAGES)
        try:
            command = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
            status = subprocess.run([*command, sys.executable, *sys.argv, "--isolated"], check=False).returncode
        finally:
            reserve(before)
    return sys.exit(status)


def reserve(pages):
    with open(POOL, "r+", encoding="ascii") as pool:
        pool.write(str(pages))
        pool.seek(0)
        if int(pool.read()) != pages:
            sys.exit(f"the kernel cannot reserve {pages} hugepages")


def mount_filesystems():
    run("mount", "-t", "tmpfs", "tmpfs", "/run")
    for folder in ("hugepages", "openvswitch", "suricata", "manactl-test/bin"):
        os.makedirs(f"/run/{folder}")
    run("mount", "-t", "hugetlbfs", "hugetlbfs", "/run/hugepages")
    # The programs load every driver in this folder.
    run("mount", "--bind", f"{library()}/dpdk", f"/usr/lib/{os.path.basename(library())}/dpdk")
    # Without IPv6, the kernel sends no packets of its own to the ports of the adapter.
    write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1")


def library():
    return glob.glob(f"{sys.argv[2]}/usr/lib/*-linux-gnu")[0]


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def run(*command):
    """Returns the standard output of a command that succeeds."""
    outcome = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS)
    check(outcome.returncode == 0, f"{shlex.join(command)} failed: {outcome.stderr}")
    return outcome.stdout


def program(path):
    """The command that starts a program of Debian 13, or one that is linked with its libraries."""
    loader = glob.glob(f"{sys.argv[2]}/usr/lib*/ld-linux-*.so.[0-9]")[0]
    return [loader, "--library-path", library(), path if path.startswith("/") else f"{sys.argv[2]}/usr/{path}"]


def shell(script, *programs):
    """Runs a shell script in which these programs of Debian 13 are commands."""
    for path in programs:
        command = f"{FOLDER}/bin/{os.path.basename(path)}"
        write(command, f'#!/bin/sh\nexec {shlex.join(program(path))} "$@"\n')
        os.chmod(command, 0o755)
    return run("env", f"PATH={FOLDER}/bin:{os.environ['PATH']}", "sh", "-euc", script)


def arguments(vm, nics, *options):
    """The output of manactl args for NICs of a captured VM, as if the administrator used none of them."""
    tree = f"{FOLDER}/vm"
    shutil.copytree(f"{SOURCE}/tests/fixtures/{vm}", tree, symlinks=True)
    for name, key, value in ("routes", "routes", []), ("sockets", "tcp", []), ("process", "ssh_connection", ""):
        path = f"{tree}/manactl/{name}.json"
        write(path, json.dumps({**json.loads(read(path)), key: value}))
    write(f"{tree}/proc/1402/stat", "1402 (bash) S 1 1402 1402 0\n")
    printed = run(sys.argv[1], "args", *nics, "--root", tree, *options)
    shutil.rmtree(tree)
    return printed


def check(condition, what):
    if not condition:
        logs = [f"{path}:\n{read(path)[-4000:]}" for path in sorted(glob.glob(f"{FOLDER}/*.log"))]
        sys.exit("\n".join([what, *logs]))


def diagnosis(log):
    outcome = subprocess.run([sys.argv[1], "doctor", "--json", "--log", log], capture_output=True, check=False)
    return json.loads(outcome.stdout)


class Adapter:
    """A program that runs on an adapter, and whose output is in FOLDER/NAME.log."""

    def __init__(self, name, command, *options):
        self.log = f"{FOLDER}/{name}.log"
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen([sys.argv[1], "sim", "--json", *options, "--", *command],
                                            stdout=subprocess.PIPE, stderr=log)

    def wait_until(self, condition, what):
        """Calls condition() until it returns a true value, and returns that value. `what` is named if it never does."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not (value := condition()):
            check(self.process.poll() is None, f"the program ended before {what}")
            check(time.monotonic() < deadline, f"timeout while waiting for {what}")
            time.sleep(0.05)
        return value

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def wait(self):
        """Waits until the program ends, and returns its exit code."""
        return json.loads(self.process.communicate(timeout=TIMEOUT_SECONDS)[0])["status"]

    def ports(self):
        """Waits until the program ends, and returns the counters of the adapter's ports."""
        report = json.loads(self.process.communicate(timeout=TIMEOUT_SECONDS)[0])
        check(report["status"] == 0, f"the program failed: {report}")
        check(report["exit"] == 0 and report["driver"], f"the driver violated the contract: {report}")
        return report["ports"]
