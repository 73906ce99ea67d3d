# SPDX-License-Identifier: MIT
"""A mana-device process, and a guest that drives it through vfio-user without following the rules of drivers.

The layouts are those of src/wire and of src/device/vfio_user/protocol.h.
"""
import contextlib
import mmap
import os
import pathlib
import resource
import signal
import socket
import struct
import subprocess
import tempfile

SECONDS = 20  # a process that does not react within this time hangs
DMA_MAP, SET_IRQS, REGION_READ, REGION_WRITE = 2, 8, 9, 10
BAR = 0
SHARED_AT, DOORBELLS_AT = 0x1000, 0x4000
ESTABLISH = 1
PD, KEY, PAGE = 5, 7, DOORBELLS_AT + 0x1000  # the memory key of all RAM, and the doorbell page of the kernel's drivers
SQ, RQ = PAGE, PAGE + 0x400
CREATE_DMA_REGION, CONFIG_VPORT_TX, CREATE_WQ_OBJ = 25, 0x20003, 0x20004
VPORT = 100  # the handle of the first port
LARGE_PAGE, LARGE_PAGE_TYPE = 2 << 20, 9
RAM, RAM_BYTES = LARGE_PAGE, 8 << 20


def connect(path):
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(SECONDS)
    client.connect(str(path))
    return client


def message(command, body, flags=0):
    return struct.pack("=HHIII", 1, command, 16 + len(body), flags, 0) + body


class Device:
    def __init__(self, program, folder, *options, prepare=None):
        self.qemu, self.console = folder / "qemu", folder / "console"
        self.process = subprocess.Popen([program, f"--console={self.console}", *options, str(self.qemu)], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=prepare)
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
def device(program, *options, **limits):
    with tempfile.TemporaryDirectory() as name:
        started = Device(program, pathlib.Path(name), *options, **limits)
        try:
            yield started
        finally:
            started.process.kill()
            started.process.communicate()


def without_space():
    """Makes each write to a file of this process fail with EFBIG."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


class Guest:
    """Has the hardware channel. Its queues are the first ones, so their IDs are known."""

    def __init__(self, qemu):
        self.qemu = qemu
        self.file = os.memfd_create("ram")
        os.ftruncate(self.file, RAM_BYTES)
        self.ram = mmap.mmap(self.file, RAM_BYTES)
        socket.send_fds(qemu, [message(DMA_MAP, struct.pack("=IIQQQ", 32, 3, 0, RAM, RAM_BYTES))], [self.file])
        assert struct.unpack("=HHIII", qemu.recv(48, socket.MSG_WAITALL)[:16])[4] == 0, "DMA_MAP"
        self.sent, self.received = 0, 0  # bytes of WQEs

    def store(self, offset, value, size=8):
        """Writes to the BAR, and waits until the device has handled it."""
        self.qemu.sendall(message(REGION_WRITE, struct.pack("=QII", offset, BAR, size) + value.to_bytes(size, "little")))
        assert len(self.qemu.recv(32, socket.MSG_WAITALL)) == 32, "the device has closed the connection"

    def establish(self):
        frames = [(RAM >> 12) + i for i in range(4)]
        shared = b"".join(frame.to_bytes(6, "little") for frame in frames)
        for at in range(0, 24, 8):
            self.store(SHARED_AT + at, int.from_bytes(shared[at:at + 8], "little"))
        self.store(SHARED_AT + 24, 0, 4)
        self.store(SHARED_AT + 28, ESTABLISH, 4)

    def ring(self, register, queue, tail):
        self.store(register, queue | tail << 32)

    def request(self, command, body):
        """Sends a request, and returns the status and the body of the response."""
        buffer, reply = 0x4000, 0x6000
        header = struct.pack("<IIHHIIIHHIHHI", 0, command, 1, 3, 40 + len(body), 0, command, 1, 0, 4096, 2, 0, 0)
        self.ram[buffer:buffer + len(header + body)] = header + body
        self.ram[reply:reply + 32] = bytes(32)
        self.put(0x2000 + self.received % 4096, wqe(8, RAM + reply, 4096))
        self.received += 32
        self.ring(RQ, 1, self.received)
        self.put(0x3000 + self.sent % 4096, wqe(24, RAM + buffer, len(header + body)))
        self.sent += 64
        self.ring(SQ, 2, self.sent)
        return struct.unpack_from("<I", self.ram, reply + 24)[0], self.ram[reply + 32:reply + 4096]

    def put(self, offset, data):
        self.ram[offset:offset + len(data)] = data

    def region(self, offset):
        """A region of one large page. Returns its handle."""
        status, body = self.request(CREATE_DMA_REGION,
                                    struct.pack("<QIIIIQ", LARGE_PAGE, 0, LARGE_PAGE_TYPE, 1, 1, RAM + offset))
        assert status == 0, hex(status)
        return struct.unpack_from("<Q", body)[0]

    def send_queue(self, ring, completions, size):
        """Creates an SQ and its CQ on large pages at these offsets. Returns the IDs of both."""
        assert self.request(CONFIG_VPORT_TX, struct.pack("<QII", VPORT, PD, 1))[0] == 0
        status, body = self.request(CREATE_WQ_OBJ, struct.pack("<QIIQQIIII", VPORT, 1, 0, self.region(ring),
                                                               self.region(completions), size, LARGE_PAGE, 0, 0xffff))
        assert status == 0, hex(status)
        return struct.unpack_from("<II", body)


def wqe(oob_bytes, address, size, oob=0, unit=0, header_bytes=0):
    """A WQE with one SGE. With a `unit`, it asks for segmentation."""
    word = 1 | (oob_bytes // 4) << 8 | bool(unit) << 11 | unit << 16
    data = struct.pack("<II", header_bytes << 24, word) + oob.to_bytes(oob_bytes, "little") + struct.pack("<QII", address, KEY, size)
    return data.ljust((len(data) + 31) // 32 * 32, b"\0")


def tcp_frame(size):
    """A broadcast frame with IPv4 and TCP headers of 54 bytes."""
    headers = bytearray(54)
    headers[:6] = b"\xff" * 6
    headers[12:15] = b"\x08\x00\x45"
    headers[23], headers[46] = 6, 0x50
    return bytes(headers).ljust(size, b"\0")


def flood(guest, unit):
    """One doorbell for 16,384 requests to split 256 KiB into segments with `unit` bytes of payload."""
    count, size, ring, completions, frame = 16384, 256 << 10, LARGE_PAGE, 2 * LARGE_PAGE, 0x80000
    guest.establish()
    guest.put(frame, tcp_frame(size))
    queue, cq = guest.send_queue(ring, completions, count * 32)
    guest.put(ring, count * wqe(8, RAM + frame, size, cq << 8, unit, 54))
    guest.ring(SQ, queue, count * 32)
    return count
