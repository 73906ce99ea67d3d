#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""net_mana_test.py MANACTL TESTPMD SCENARIO...: runs DPDK's unmodified net_mana on the software adapter.

TESTPMD is a dpdk-testpmd whose DPDK has net_mana. The scenario "all" runs all of them, "list" prints their names.
"""
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import threading
import time

RECOVERY_SECONDS = 20  # net_mana waits 15 s before it opens the device again
RUN_SECONDS = 1.0  # from testpmd's prompt to the newline that ends testpmd; short, because no test measures rates
TIMEOUT_SECONDS = 60
MAC = "00:0d:3a:76:3b:d0"
DEVICE = f"--vdev=7870:00:00.0,mac={MAC}"
COMMON = ["--auto-start", "--txd=128", "--rxd=128", "--total-num-mbufs=16384"]


class Run:
    """One run of testpmd under manactl sim: its log, and the report of the adapter as JSON."""

    def __init__(self, options, device=DEVICE, sim=(), eal=(), seconds=RUN_SECONDS):
        self.seconds = seconds
        cpus = sorted(os.sched_getaffinity(0))
        command = [sys.argv[1], "sim", "--json", *sim, "--", sys.argv[2], f"--lcores=0@{cpus[0]},1@{cpus[-1]}",
                   "--no-huge", "-m", "512", f"--file-prefix=manactl-{os.getpid()}", "-v", *eal]
        command += [device] if device else []
        command += ["--", *COMMON, *options]
        # On a terminal, testpmd does not buffer its output. A newline on stdin makes testpmd exit.
        terminal, program_side = pty.openpty()
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=program_side) as process:
            os.close(program_side)
            self.log = self.read_log(terminal, process)
            self.report = json.loads(process.stdout.read())
        os.close(terminal)

    def read_log(self, terminal, process):
        deadline = threading.Timer(TIMEOUT_SECONDS, process.terminate)
        deadline.start()
        log = ""
        while True:
            try:
                block = os.read(terminal, 65536).decode(errors="replace").replace("\r", "")
            except OSError:  # EIO: the last writer has closed the terminal
                deadline.cancel()
                return log
            if "Press enter to exit" in log + block and "Press enter to exit" not in log:
                time.sleep(self.seconds)
                process.stdin.write(b"\n")
                process.stdin.flush()
            log += block

    def port(self, index=0):
        return self.report["ports"][index]

    def total(self, counter):
        """The final value of a testpmd counter, summed over all ports."""
        found = re.findall(rf"Accumulated forward statistics.*?{counter}: (\d+)", self.log, re.S)
        return int(found[-1]) if found else 0

    def check(self, condition, what):
        if not condition:
            sys.exit(f"{what}\n{json.dumps(self.report, indent=1)}\n{self.log[-4000:]}")

    def check_contract(self):
        """Fails on violations other than leaks. DPDK before 26.03 leaks its protection domains."""
        broken = {rule["id"] for rule in self.report["rules"]}
        self.check(broken <= {"leak"}, f"contract violations: {broken}")
        self.check(self.report["status"] == 0, "testpmd failed")

    def release(self):
        """The release of DPDK, for example (26, 7)."""
        found = re.search(r"EAL: RTE Version: 'DPDK (\d+)\.(\d+)", self.log)
        self.check(found, "the log does not contain the DPDK version")
        return int(found[1]), int(found[2])

    def check_log(self, *lines):
        for line in lines:
            self.check(line in self.log, f"the log does not contain: {line}")


def queues(count):
    return [f"--txq={count}", f"--rxq={count}"]


def sends(words, **options):
    run = Run(["--forward-mode=txonly", *words], **options)
    run.check_contract()
    run.check(0 < run.total("TX-packets") <= run.port()["tx_packets"], "packet counters do not match")
    run.check(run.port()["tx_errors"] == 0, "send errors")


def receives(count):
    run = Run(["--forward-mode=rxonly", *queues(count)], sim=["--backend", "generator"])
    run.check_contract()
    run.check(0 < run.total("RX-packets") <= run.port()["rx_packets"], "packet counters do not match")
    streams = re.findall(r"RX Port= 0/Queue= *(\d+) .*?RX-packets: (\d+)", run.log, re.S)
    run.check(count == 1 or len({queue for queue, packets in streams if int(packets)}) == count,
              f"not every queue received: {streams}")


def forwards(words, ports=1, backend="loopback", device=DEVICE):
    run = Run(["--forward-mode=io", "--tx-first", *words], device=device,
              sim=["--ports", str(ports), "--backend", backend])
    run.check_contract()
    for index in range(ports):
        port = run.port(index)
        peer = run.port(index ^ 1 if backend == "cross" else index)
        run.check(0 < port["tx_packets"] == peer["rx_packets"], "packets were lost")
        run.check(port["rx_no_buffer"] == 0, "frames without a buffer")


def coalesces(packets):
    """Since DPDK 23.07, up to four packets share a completion; older releases log that this is not supported."""
    run = Run(["--forward-mode=rxonly"],
              sim=["--backend", "generator", "--coalesce", str(packets)])
    if run.release() < (23, 7):
        return run.check_log("RX coalescing is not supported")
    run.check_contract()
    port = run.port()
    run.check(0 < run.total("RX-packets") <= port["rx_packets"], "packet counters do not match")
    run.check(port["rx_completions"] < port["rx_packets"] / 2, "packets did not share completions")
    return None


def frames_of(path):
    """The frames of a capture that manactl wrote (little endian)."""
    with open(path, "rb") as file:
        blob = file.read()
    at, frames = 24, []
    while at < len(blob):
        size = int.from_bytes(blob[at + 8:at + 12], "little")
        frames.append(blob[at + 16:at + 16 + size])
        at += 16 + size
    return frames


def records():
    """Records sent frames. The slow link keeps the file small."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sent.pcap")
        run = Run(["--forward-mode=txonly", "--txpkts=80"], sim=["--pps", "20000", "--write", path])
        run.check_contract()
        frames = frames_of(path)
    run.check(len(frames) == run.port()["tx_packets"] > 0, f"{len(frames)} frames were written")
    run.check({len(frame) for frame in frames} == {80}, "frames have the wrong size")
    sources = {frame[6:12].hex(":") for frame in frames}
    run.check(sources == {MAC}, f"frames are from {sources}")
    run.check({frame[12:14].hex() + frame[23:24].hex() for frame in frames} == {"080011"},
              "frames are not UDP over IPv4")


def replays():
    """Plays a recorded file: exactly its frames arrive."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sent.pcap")
        Run(["--forward-mode=txonly"], sim=["--pps", "5000", "--write", path])
        count = len(frames_of(path))
        run = Run(["--forward-mode=rxonly"], sim=["--backend", "pcap", "--read", path])
    run.check_contract()
    run.check(run.port()["rx_packets"] == count > 0, f"{count} packets are in the file")
    run.check(run.port()["rx_no_buffer"] == 0, "frames without a buffer")


def runs_on_a_slow_link():
    """The driver handles a link with a rate limit and a latency."""
    run = Run(["--forward-mode=txonly", *queues(2)], sim=["--pps", "10000", "--latency", "100"])
    run.check_contract()
    run.check(0 < run.total("TX-packets") <= run.port()["tx_packets"], "packet counters do not match")


def overruns():
    run = Run(["--forward-mode=txonly"], sim=["--fault", "cq=overrun,every=1000"],
              eal=["--log-level=pmd.net.mana*:error"])
    run.check_log("CQ overflowed")


def rings_wrongly(fault):
    run = Run(["--forward-mode=io", "--tx-first"], sim=["--backend", "loopback", "--fault", fault])
    run.check_contract()
    run.check(run.port()["tx_packets"] > 0, "nothing was sent")


def recovers():
    """Since DPDK 26.07, the driver reopens a device that returns; older releases remove the port."""
    run = Run(["--forward-mode=txonly"],
              sim=["--pps", "1000", "--fault", "device=reset,ms=300,back=1000"],
              eal=["--log-level=pmd.net.mana*:info"], seconds=RECOVERY_SECONDS)
    if run.release() < (26, 7):
        return run.check("device removal event" in run.log, "no device event in the log")
    run.check_contract()
    run.check_log("IBV_EVENT_DEVICE_FATAL received", "RTE_ETH_EVENT_RECOVERY_SUCCESS")
    run.check(run.port()["tx_packets"] > 1000, "no traffic after the recovery (about 300 packets precede the reset)")
    return None


def fails(fault, *lines):
    run = Run(["--forward-mode=txonly"], sim=["--fault", fault], eal=["--log-level=pmd.net.mana*:info"])
    run.check_log(*lines)


def loses_packets():
    run = Run(["--forward-mode=txonly"], sim=["--fault", "tx=33,every=1000"])
    run.check(run.report["status"] == 0, "testpmd failed")
    run.check(run.port()["tx_errors"] > 0, "no send errors")
    run.check({rule["id"] for rule in run.report["rules"]} <= {"leak"}, "contract violations")


def loses_the_device():
    """Up to DPDK 26.03 the driver removes the port; newer releases wait until the device returns."""
    run = Run(["--forward-mode=txonly"], sim=["--fault", "device=fatal,ms=100"])
    run.check("device removal event" in run.log or "error recovering event" in run.log, "no device event in the log")
    run.check_contract()


SCENARIOS = {
    "txonly": lambda: sends([]),
    "txonly-allowed": lambda: sends([], device=f"--allow=7870:00:00.0,mac={MAC}"),
    "txonly-8": lambda: sends(queues(8)),
    "txonly-segments": lambda: sends(["--txpkts=64,64,64,64"]),
    "txonly-threaded": lambda: sends([], sim=["--engine", "threaded"]),
    "rxonly-1": lambda: receives(1),
    "rxonly-4": lambda: receives(4),
    "rxonly-8": lambda: receives(8),
    "io": lambda: forwards([]),
    "io-4": lambda: forwards(queues(4)),
    "io-two-ports": lambda: forwards(queues(2), 2, "cross", device=None),
    "coalesce-4": lambda: coalesces(4),
    "pcap-out": records,
    "pcap-in": replays,
    "link": runs_on_a_slow_link,
    "doorbell-delayed": lambda: rings_wrongly("doorbell=delayed,every=3,us=200"),
    "doorbell-duplicated": lambda: rings_wrongly("doorbell=duplicated"),
    "cq-overrun": overruns,
    "reset": recovers,
    "tx-errors": loses_packets,
    "device-fatal": loses_the_device,
    "port-in-use": lambda: fails("create_qp=errno:ENODEV",
                                 "mana_start_tx_queues(): Failed to create qp queue index 0",
                                 "mana_dev_start(): failed to start tx queues -19",
                                 "Fail to start port 0: No such device"),
    "foreign-provider": lambda: fails("alloc_parent_domain=missing",
                                      "Probe device name mana_0 dev_name uverbs0 "
                                      "ibdev_path /sys/class/infiniband/mana_0",
                                      "mana_probe_port(): ibv_alloc_parent_domain failed port 1",
                                      "Probe on IB port 1 failed -12"),
    "no-cq": lambda: fails("create_cq=errno:ENOMEM",
                           "mana_start_tx_queues(): failed to create cq queue index 0",
                           "failed to start tx queues -12"),
}

if __name__ == "__main__":
    names = sys.argv[3:]
    if names == ["list"]:
        sys.exit(print(*SCENARIOS, sep="\n"))
    for name in SCENARIOS if names == ["all"] else names:
        SCENARIOS[name]()
        print(f"{name}: passed", flush=True)
