#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the process mana-device with both protocols, with clients that do not follow them, and with invalid files.

usage: process_test.py MANA_DEVICE
"""

import errno
import json
import os
import pathlib
import resource
import select
import socket
import struct
import subprocess
import sys
import tempfile

import guest
from guest import (BAR, DMA_MAP, DOORBELLS_AT, ESTABLISH, RAM, RAM_BYTES, REGION_READ, REGION_WRITE, SECONDS, SET_IRQS, SHARED_AT,
                   connect, message)

PROGRAM = sys.argv[1]


def device(*options, **limits):
    return guest.device(PROGRAM, *options, **limits)


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


def serves_others_while_a_client_does_not_read():
    with device() as tested, connect(tested.qemu) as qemu, connect(tested.console) as console:
        qemu.sendall(message(REGION_READ, struct.pack("=QII", 0, BAR, 1 << 20)))
        assert len(qemu.recv(16, socket.MSG_WAITALL)) == 16  # the rest exceeds the buffer of the socket
        assert tested.ask(console, "help").startswith("statistics"), "the console does not respond"
        rest = (1 << 20) + 16
        while rest > 0:
            got = len(qemu.recv(rest))
            assert got > 0, "the reply is not complete"
            rest -= got
        qemu.sendall(message(REGION_READ, struct.pack("=QII", 0, BAR, 1 << 20)))
        assert len(qemu.recv(16, socket.MSG_WAITALL)) == 16
        tested.stop()


def ends_the_connection_if_ram_is_truncated():
    """DMA_MAP with a file, which the client truncates before the device reads the descriptors of the hardware channel."""
    with device() as tested, connect(tested.qemu) as qemu:
        ram = os.memfd_create("ram")
        os.ftruncate(ram, RAM_BYTES)
        socket.send_fds(qemu, [message(DMA_MAP, struct.pack("=IIQQQ", 32, 3, 0, RAM, RAM_BYTES))], [ram])
        assert struct.unpack("=HHIII", qemu.recv(48, socket.MSG_WAITALL)[:16])[4] == 0
        os.ftruncate(ram, 0)
        qemu.sendall(message(REGION_WRITE, struct.pack("=QII", SHARED_AT, BAR, 8) + struct.pack("=Q", RAM >> 12)))
        qemu.sendall(message(REGION_WRITE, struct.pack("=QII", SHARED_AT + 28, BAR, 4) + struct.pack("=I", ESTABLISH)))
        while qemu.recv(4096):
            continue
        errors = tested.stop()
    assert errors.count("a page of the guest's RAM is lost") == 1, errors


def splits_the_work_of_a_doorbell():
    with device("--ports=16") as tested, connect(tested.qemu) as qemu, connect(tested.console) as console:
        guest.flood(guest.Guest(qemu), 48)  # each request is valid
        statistics = json.loads(tested.ask(console, "statistics"))["ports"][0]
        assert 0 < statistics["tx_packets"] < 100000 and statistics["tx_errors"] == 0, statistics
        tested.stop()


def does_all_work_of_a_doorbell():
    with device() as tested, connect(tested.qemu) as qemu, connect(tested.console) as console:
        count = guest.flood(guest.Guest(qemu), 1)  # each request leads to too many segments
        done = 0
        while done < count:
            now = json.loads(tested.ask(console, "statistics"))["ports"][0]
            assert now["tx_errors"] >= done and now["tx_packets"] == 0, now
            done = now["tx_errors"]
        assert done == count, done
        tested.stop()


def survives_an_interrupt_that_is_a_pipe():
    with device() as tested, connect(tested.qemu) as qemu:
        reader, writer = os.pipe()
        socket.send_fds(qemu, [message(SET_IRQS, struct.pack("=IIIII", 20, 4, 2, 0, 1))], [writer])
        error = struct.unpack("=HHIII", qemu.recv(16, socket.MSG_WAITALL))[4]
        assert error == errno.EINVAL, error
        os.close(reader)
        os.close(writer)
        tested.stop()


def limit_descriptors(tested, count):
    """Returns the previous limit."""
    return resource.prlimit(tested.process.pid, resource.RLIMIT_NOFILE, (count, resource.prlimit(tested.process.pid, resource.RLIMIT_NOFILE)[1]))[0]


def lets_connections_wait_while_it_lacks_descriptors():
    with device() as tested:
        used = {int(number) for number in os.listdir(f"/proc/{tested.process.pid}/fd")}
        before = limit_descriptors(tested, min(set(range(len(used) + 1)) - used))
        with connect(tested.qemu), connect(tested.console) as console:
            assert select.select([tested.process.stderr], [], [], SECONDS)[0], "no message about the descriptors"
            error = tested.process.stderr.readline()
            assert error == "mana-device: cannot accept a connection: Too many open files; it waits\n", error
            limit_descriptors(tested, before)
            assert tested.ask(console, "help").startswith("statistics"), "the console does not respond"
        errors = tested.stop()
    assert "cannot accept" not in errors, errors


def reports_that_it_cannot_wait():
    with device() as tested:
        limit_descriptors(tested, 1)  # poll(2) now fails
        with connect(tested.qemu):
            errors = tested.process.communicate(timeout=SECONDS)[1]
    assert tested.process.returncode == 1 and "mana-device: cannot wait for events: Invalid argument\n" in errors, errors


def refuses_a_trace_file_that_it_cannot_create():
    done = subprocess.run([PROGRAM, "--trace-file=/nonexistent/trace", "/nonexistent/socket"], capture_output=True, text=True,
                          timeout=SECONDS)
    expected = ("mana-device: cannot open the trace file '/nonexistent/trace': cannot open the directory '/nonexistent': "
                "No such file or directory\n")
    assert (done.returncode, done.stderr) == (1, expected), done


def reports_a_trace_file_that_it_cannot_write():
    violation = message(REGION_WRITE, struct.pack("=QIIQ", DOORBELLS_AT, BAR, 8, 99))  # SQ 99 does not exist
    with tempfile.TemporaryDirectory() as name, device(f"--trace-file={name}/trace", prepare=guest.without_space) as tested:
        with connect(tested.qemu) as qemu:
            for _ in range(2):
                qemu.sendall(violation)
                assert len(qemu.recv(32, socket.MSG_WAITALL)) == 32
        errors = tested.stop()
    assert errors.count(f"cannot write the trace to '{name}/trace': File too large") == 1, errors


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


for test in (waits_for_the_rest_of_a_message, serves_others_while_a_client_does_not_read,
             ends_the_connection_if_ram_is_truncated,
             lets_connections_wait_while_it_lacks_descriptors, reports_that_it_cannot_wait,
             splits_the_work_of_a_doorbell, does_all_work_of_a_doorbell, survives_an_interrupt_that_is_a_pipe, refuses_a_trace_file_that_it_cannot_create, reports_a_trace_file_that_it_cannot_write,
             serves_multi_process_qemu):
    try:
        test()
    except Exception as error:  # the name of the test is needed with every failure
        sys.exit(f"{test.__name__.replace('_', ' ')}: {type(error).__name__}: {error}")
print("the process handles both protocols of QEMU, and clients and files that misbehave")
