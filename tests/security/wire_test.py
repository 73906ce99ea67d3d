# SPDX-License-Identifier: MIT
"""Hostile peers and devices: forged, cut, oversized and repeated frames for bench, and faulty devices for doctor --probe."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import types

from attack import MANACTL, Attack, main

NIC, PEER = "nic", "peer"
NIC_MAC, PEER_MAC = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
HEADERS, ETHERTYPES = 42, 0x0003  # ETH_P_ALL
ALL_BITS = (1 << 64) - 1
BENCH = ("bench", "--vdev", f"net_af_packet0,iface={NIC}", "--no-huge", "--no-save", "--json", "--duration", "60", "--mode")
SIZES = (0, 1, 20, 46, 60, 1486, 1500, 1900, 2035, 4000, 8986)
ADDRESSES = NIC_MAC + PEER_MAC
FRAMES = [ADDRESSES + kind + os.urandom(size) for kind in (b"\x08\x00", b"\x08\x06", b"\x86\xdd", b"\x88\xcc", b"\x00\x00") for size in SIZES]
TAGGED = [ADDRESSES + b"\x81\x00" + os.urandom(size) for size in SIZES]


def setUpModule():
    """Connects two interfaces. Without link-local addresses, the kernel sends nothing itself."""
    for command in (f"link add {NIC} address {NIC_MAC.hex(':')} mtu 9000 type veth peer name {PEER} address {PEER_MAC.hex(':')} mtu 9000",
                    f"link set {NIC} addrgenmode none up", f"link set {PEER} addrgenmode none up"):
        subprocess.run(["ip", *command.split()], check=True)


class Request:
    """The payload of a request: 64-bit words, each followed by its complement."""

    def __init__(self, frame):
        self.frame = frame
        first, _, self.stamp, _ = struct.unpack_from("=4Q", frame, HEADERS)
        self.run, self.lane, self.number = first >> 48, first >> 32 & 0xffff, first & 0xffffffff

    def reply(self, run=0, lane=0, number=0, stamp=None):
        """The reply, with these values added to those of the request, and this time stamp."""
        first = (self.run + run & 0xffff) << 48 | (self.lane + lane & 0xffff) << 32 | (self.number + number & 0xffffffff)
        stamp = self.stamp if stamp is None else stamp
        payload = struct.pack("=4Q", first, first ^ ALL_BITS, stamp, stamp ^ ALL_BITS)
        return self.frame[6:12] + self.frame[:6] + self.frame[12:HEADERS] + payload + self.frame[HEADERS + 32:]


def flipped(frame, bit):
    frame = bytearray(frame)
    frame[HEADERS + bit // 8] ^= 1 << bit % 8
    return bytes(frame)


class Wire(Attack):
    @contextlib.contextmanager
    def peer(self, answer, always=lambda wire: None):
        """Sends what answer(frame) returns for each frame from the NIC, and calls always(socket), until the end."""
        end = threading.Event()
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERTYPES)) as wire:
            wire.bind((PEER, ETHERTYPES))
            wire.settimeout(0.01)

            def work():
                while not end.is_set():
                    always(wire)
                    with contextlib.suppress(OSError):  # timeouts, and full queues
                        for _ in range(1000):
                            frame, source = wire.recvfrom(65536)
                            if source[2] != socket.PACKET_OUTGOING:
                                for reply in answer(frame):
                                    wire.send(reply)

            thread = threading.Thread(target=work)
            thread.start()
            try:
                yield
            finally:
                end.set()
                thread.join()

    def bench(self, mode, is_done):
        """Measures until is_done() returns true, and returns the result."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            with subprocess.Popen([MANACTL, *BENCH, mode], stdin=subprocess.DEVNULL, stdout=out, stderr=err) as process:
                deadline = time.monotonic() + 30
                while not is_done() and process.poll() is None and time.monotonic() < deadline:
                    time.sleep(0.005)
                done = is_done()
                process.send_signal(signal.SIGINT)
            for file in (out, err):
                file.seek(0)
            text, errors = out.read().decode(), err.read().decode()
        self.assertTrue(done, errors)
        self.assertEqual((process.returncode, errors), (128 + signal.SIGINT, ""))
        return json.loads(text)

    def round_trips(self, answer, least=1):
        """Measures round trips until `least` requests were answered with answer(request)."""
        answered = []

        def answer_requests(frame):
            if len(frame) < HEADERS + 32:
                return
            yield from answer(Request(frame))
            answered.append(time.monotonic())

        with self.peer(answer_requests):
            return self.bench("rtt", lambda: len(answered) >= least and time.monotonic() > answered[0] + 0.05)


class Replies(Wire):
    def test_an_honest_peer_is_measured(self):
        result = self.round_trips(lambda request: [request.reply()], least=100)
        self.assertGreater(result["latency"]["count"], 32)
        self.assertEqual(result["trials"][0]["replies"]["unrelated"], 0)

    def test_forged_replies_are_not_counted(self):
        now = time.monotonic_ns()
        cases = {
            "runs": lambda request: [request.reply(run=run) for run in (1, 255, 65535)],
            "lanes": lambda request: [request.reply(lane=lane) for lane in (1, 63, 64, 255, 32767, 65535)],
            "times": lambda request: [request.reply(stamp=stamp) for stamp in (ALL_BITS, 1 << 63, now + 10**12)],
            "bits": lambda request: [flipped(request.reply(), bit) for bit in range(0, 256, 5)],
            "bytes": lambda request: [
                *[request.reply()[:size] for size in range(14, HEADERS + 32)],
                *[request.frame[:HEADERS] + bytes(size) for size in (0, 31, 32, 33, 1400)],
                *[b"\xff" * size for size in (14, 41, 42, 73, 74, 8000)],
                *[os.urandom(size) for size in (14, 60, 74, 1514, 2000, 8900)],
                *[bytes(offset) + request.reply() for offset in (1, 4, 8)]],
        }
        for name, answer in cases.items():
            with self.subTest(name):
                result = self.round_trips(answer)
                self.assertEqual(result["latency"]["count"], 0)
                self.assertEqual(result["total"]["rx"]["packets"], 0)
                self.assertGreater(result["trials"][0]["replies"]["unrelated"], 0)

    def test_repeated_and_old_replies_are_not_counted_as_answered_requests(self):
        answered = set()

        def answer(request):
            answered.update({request.number, request.number + 5})
            yield from [request.reply()] * 10
            yield from (request.reply(stamp=stamp) for stamp in (0, 1, request.stamp // 2))
            yield from (request.reply(number=number) for number in (1 << 31, (1 << 32) - 1, 5))
            yield request.reply() + bytes(8000)

        result = self.round_trips(answer, least=50)
        latency, total = result["latency"], result["total"]
        self.assertGreater(latency["count"], 32)
        self.assertEqual(latency["count"], total["rx"]["packets"])
        self.assertLessEqual(latency["count"], len(answered))
        self.assertGreater(result["trials"][0]["replies"]["unrelated"], 500)
        figures = [latency[name] for name in ("min_ns", "p50_ns", "p99_ns", "max_ns")]
        self.assertEqual(figures, sorted(figures))
        self.assertLess(figures[-1], time.monotonic_ns())


class Floods(Wire):
    @contextlib.contextmanager
    def flood(self, frames):
        """Sends the frames again and again; yields the number of rounds and the frames that came back."""
        state = types.SimpleNamespace(rounds=0, returned=set())

        def send(wire):
            for frame in frames:
                with contextlib.suppress(OSError):
                    wire.send(frame)
            state.rounds += 1

        def collect(frame):
            state.returned.add(frame)
            return ()

        with self.peer(collect, send):
            yield state

    def test_frames_of_any_kind_and_size_are_counted(self):
        for mode in ("rx", "txrx"):
            with self.subTest(mode), self.flood([*FRAMES, *TAGGED]):
                outcome = self.run_manactl(*(word.replace("60", "300ms") for word in BENCH), mode)
                self.assert_exit(0, outcome)
                self.assert_small(outcome)
                self.assertGreater(json.loads(outcome.out)["total"]["rx"]["packets"], 0)

    def test_only_requests_are_changed_by_a_responder(self):
        payload = struct.pack("=4Q", 7, 7 ^ ALL_BITS, 9, 9 ^ ALL_BITS)
        request = ADDRESSES + b"\x08\x00" + bytes(range(28)) + payload
        reply = request[6:12] + request[:6] + request[12:26] + request[30:34] + request[26:30] + request[36:38] + request[34:36] + request[38:]
        cut = [request[:size] for size in range(14, len(request))]
        sent = [*cut, *FRAMES, *[flipped(request, bit) for bit in range(0, 256, 7)]]
        with self.flood([frame for other in sent for frame in (request, other)]) as flood:
            self.bench("fwd", lambda: reply in flood.returned and {*cut} & flood.returned and flood.rounds > 20)
        for frame in flood.returned - {reply}:
            self.assertTrue(any(one.startswith(frame) for one in (request, *sent)), frame)  # af_packet cuts long frames

    def test_bench_opens_no_socket_that_others_can_reach(self):
        def sockets(*names):
            places = [pathlib.Path("/proc/net") / name for name in names]
            lines = [line for place in places if place.exists() for line in place.read_text().splitlines()[1:]]
            # Nobody can connect to a Unix socket without a name, such as those of socketpair(2).
            return [line for line in lines if ": 00000003 " not in line or len(line.split()) > 7]

        reachable = ("tcp", "tcp6", "udp", "udp6", "raw", "raw6", "unix")
        before = sockets(*reachable)
        with subprocess.Popen([MANACTL, *BENCH, "fwd"], stdout=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 10
            while not sockets("packet") and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.2)
            found, packet = sockets(*reachable), sockets("packet")
            process.kill()
        self.assertTrue(packet, "it did not start")
        self.assertEqual(found, before)


class Devices(Attack):
    VERBS = ("get_device_list", "open_device", "alloc_pd", "reg_mr", "create_cq", "create_qp", "create_comp_channel", "set_context_attr",
             "init_obj", "query_device_ex", "alloc_parent_domain", "create_wq", "create_rwq_ind_table", "create_qp_ex")
    CAN_BE_MISSING = VERBS[9:]

    def test_a_probe_survives_every_faulty_call(self):
        ended = 0
        for verb in self.VERBS:
            for fault in ("crash", *(["missing"] if verb in self.CAN_BE_MISSING else [])):
                with self.subTest(f"{verb}={fault}"):
                    outcome = self.run_manactl("sim", "--fault", f"{verb}={fault}", "--", MANACTL, "doctor", "--probe", "sim0", "--json")
                    self.assertIn(outcome.code, (0, 1, 3), outcome)
                    probe = json.loads(outcome.out)["probe"]
                    self.assertEqual(outcome.code != 0, probe["ended_at"] is not None)
                    self.assert_plain(outcome)
                    self.assertNotIn("internal error", outcome.err)
                    ended += probe["ended_at"] is not None
        self.assertGreater(ended, 10)

    def test_bench_reports_faulty_queues(self):
        cases = {
            "rx=truncate,every=3": ("rx", r"[1-9]\d* errors"),
            "rx=drop,every=2": ("rx", r"received +[1-9]"),
            "tx=33,every=5": ("tx", r"[1-9][0-9,]* errors"),
            "tx=42,every=5": ("tx", r"[1-9][0-9,]* errors"),
            "cq=overrun,every=50": ("tx", "completions were overwritten"),
            "doorbell=lost,every=7": ("tx", r"sent +[1-9]"),
            "doorbell=duplicated,every=3": ("tx", r"sent +[1-9]"),
        }
        for fault, (mode, expected) in cases.items():
            with self.subTest(fault):
                outcome = self.run_manactl("sim", "--backend", "sink" if mode == "tx" else "generator", "--fault", fault, "--", MANACTL,
                                           "bench", "--sim", "--mode", mode, "--duration", "60ms", "--no-save")
                self.assertIn(outcome.code, (0, 1, 3), outcome)
                self.assertRegex(outcome.out, expected)
                self.assertNotIn("internal error", outcome.err)


if __name__ == "__main__":
    main()
