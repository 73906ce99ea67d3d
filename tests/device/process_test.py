#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the process mana-device with both protocols, with clients that do not follow them, and with invalid files.

usage: process_test.py MANA_DEVICE
"""

import contextlib
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
SECONDS = 20  # a process that does not react within this time hangs
REGION_READ, REGION_WRITE = 9, 10
BAR = 0
DOORBELLS_AT = 0x4000


def connect(path):
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(SECONDS)
    client.connect(str(path))
    return client


def message(command, body):
    return struct.pack("=HHIII", 1, command, 16 + len(body), 0, 0) + body


class Device:
    def __init__(self, folder, *options):
        self.qemu, self.console = folder / "qemu", folder / "console"
        self.process = subprocess.Popen([PROGRAM, f"--console={self.console}", *options, str(self.qemu)], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self.process.stdout.readline() == "ready\n", self.process.communicate(timeout=SECONDS)[1]

    def ask(self, client, command):
        client.sendall(f"{command}\n".encode())
        return client.makefile().readline().rstrip("\n")

    def stop(self):
        """Returns what the device printed on stderr."""
        self.process.send_signal(signal.SIGTERM)
        errors = self.process.communicate(timeout=SECONDS)[1]
        assert self.process.returncode == 0, (self.process.returncode, errors)
        return errors


@contextlib.contextmanager
def device(*options):
    with tempfile.TemporaryDirectory() as name:
        started = Device(pathlib.Path(name), *options)
        try:
            yield started
        finally:
            started.process.kill()
            started.process.communicate()


def waits_for_the_rest_of_a_message():
    request = message(REGION_READ, struct.pack("=QII", 0, 7, 4))  # the ids of the configuration space
    with device() as tested, connect(tested.qemu) as qemu, connect(tested.console) as console:
        for size in (3, len(request) - 1):
            qemu.sendall(request[:size])
            for _ in range(5):  # the device reads the message in the meantime
                assert tested.ask(console, "help").startswith("statistics"), "the console does not respond"
            qemu.sendall(request[size:])
            reply = qemu.recv(36, socket.MSG_WAITALL)
            assert reply[32:] == bytes.fromhex("1414ba00"), reply
        qemu.sendall(request[:17])
        assert tested.ask(console, "violations") == "[]"
        tested.stop()


def can_be_stopped_while_a_client_does_not_read():
    with device() as tested, connect(tested.qemu) as qemu:
        qemu.sendall(message(REGION_READ, struct.pack("=QII", 0, BAR, 1 << 20)))
        assert len(qemu.recv(16, socket.MSG_WAITALL)) == 16  # the rest exceeds the buffer of the socket
        assert "cannot reply" in tested.stop()


def refuses_a_trace_file_that_it_cannot_create():
    done = subprocess.run([PROGRAM, "--trace-file=/nonexistent/trace", "/nonexistent/socket"], capture_output=True, text=True,
                          timeout=SECONDS)
    expected = "mana-device: cannot open the trace file '/nonexistent/trace': No such file or directory\n"
    assert (done.returncode, done.stderr) == (1, expected), done


def reports_a_trace_file_that_it_cannot_write():
    violation = message(REGION_WRITE, struct.pack("=QIIQ", DOORBELLS_AT, BAR, 8, 99))  # SQ 99 does not exist
    with device("--trace-file=/dev/full") as tested, connect(tested.qemu) as qemu:
        for _ in range(2):
            qemu.sendall(violation)
            assert len(qemu.recv(32, socket.MSG_WAITALL)) == 32
        errors = tested.stop()
    assert errors.count("cannot write the trace to '/dev/full': No space left on device") == 1, errors


def serves_multi_process_qemu():
    request = struct.pack("=IIQIII", 3, 0, 12, 0, 0, 4)  # read the ids of the configuration space
    with tempfile.TemporaryDirectory() as name, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.settimeout(SECONDS)
        path = pathlib.Path(name) / "qtest"
        listener.bind(str(path))
        listener.listen()
        with device(f"--qtest={path}") as tested:
            for _ in range(2):  # two virtual machines, one after the other
                with connect(tested.qemu) as qemu:
                    qemu.sendall(request)
                    assert qemu.recv(24, socket.MSG_WAITALL)[16:] == bytes.fromhex("1414ba0000000000")
                    listener.accept()[0].close()
                    assert qemu.recv(1) == b"", "the connection is open although QEMU has closed the other one"
            path.unlink()
            with connect(tested.qemu) as qemu:
                qemu.sendall(request)
                assert qemu.recv(1) == b""
            errors = tested.stop()
    assert errors.count("cannot connect to QEMU at") == 1, errors


for test in (waits_for_the_rest_of_a_message, can_be_stopped_while_a_client_does_not_read,
             refuses_a_trace_file_that_it_cannot_create, reports_a_trace_file_that_it_cannot_write,
             serves_multi_process_qemu):
    try:
        test()
    except Exception as error:  # the name of the test is needed with every failure
        sys.exit(f"{test.__name__.replace('_', ' ')}: {type(error).__name__}: {error}")
print("the process handles both protocols of QEMU, and clients and files that misbehave")
