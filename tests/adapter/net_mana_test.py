#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""net_mana_test.py MANACTL SCENARIO: DPDK's driver, unmodified, on the software adapter.

MANACTL_NET_MANA_TESTPMD names a dpdk-testpmd that has net_mana; without it the test is skipped.
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

SKIPPED = 77
RECOVERY_SECONDS = 20  # net_mana waits 15 before it opens the device again
RUN_SECONDS = 1.0  # from "ready" to the end; nothing is asserted about how much happens in it
PATIENCE = 60
MAC = "00:0d:3a:76:3b:d0"
DEVICE = f"--vdev=7870:00:00.0,mac={MAC}"
COMMON = ["--auto-start", "--txd=128", "--rxd=128", "--total-num-mbufs=16384"]


class Run:
    """testpmd under manactl sim: what it said, and what the adapter saw."""

    def __init__(self, words, device=DEVICE, sim=(), eal=(), seconds=RUN_SECONDS):
        self.seconds = seconds
        program = os.environ["MANACTL_NET_MANA_TESTPMD"]
        cpus = sorted(os.sched_getaffinity(0))
        command = [sys.argv[1], "sim", "--json", *sim, "--", program, f"--lcores=0@{cpus[0]},1@{cpus[-1]}",
                   "--no-huge", "-m", "512", f"--file-prefix=manactl-{os.getpid()}", "-v", *eal]
        command += [device] if device else []
        command += ["--", *COMMON, *words]
        # On a terminal testpmd prints what it says at once, and a newline ends it.
        ours, theirs = pty.openpty()
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=theirs) as ran:
            os.close(theirs)
            self.log = self.listen(ours, ran)
            self.seen = json.loads(ran.stdout.read())
        os.close(ours)

    def listen(self, terminal, ran):
        deadline = threading.Timer(PATIENCE, ran.terminate)
        deadline.start()
        log = ""
        while True:
            try:
                block = os.read(terminal, 65536).decode(errors="replace").replace("\r", "")
            except OSError:  # what a terminal says when its last writer is gone
                deadline.cancel()
                return log
            if "Press enter to exit" in log + block and "Press enter to exit" not in log:
                time.sleep(self.seconds)
                ran.stdin.write(b"\n")
                ran.stdin.flush()
            log += block

    def port(self, index=0):
        return self.seen["ports"][index]

    def total(self, counter):
        """A counter of testpmd over all ports."""
        found = re.findall(rf"Accumulated forward statistics.*?{counter}: (\d+)", self.log, re.S)
        return int(found[-1]) if found else 0

    def check(self, condition, what):
        if not condition:
            sys.exit(f"{what}\n{json.dumps(self.seen, indent=1)}\n{self.log[-4000:]}")

    def kept_the_contract(self):
        """Releases before 26.03 leave their protection domains behind, and nothing else."""
        broken = {rule["id"] for rule in self.seen["rules"]}
        self.check(broken <= {"leak"}, f"rules are broken: {broken}")
        self.check(self.seen["status"] == 0, "testpmd failed")

    def release(self):
        """Of the testpmd, as (26, 7)."""
        found = re.search(r"EAL: RTE Version: 'DPDK (\d+)\.(\d+)", self.log)
        self.check(found, "testpmd does not tell its version")
        return int(found[1]), int(found[2])

    def says(self, *lines):
        for line in lines:
            self.check(line in self.log, f"the log does not say: {line}")


def queues(count):
    return [f"--txq={count}", f"--rxq={count}"]


def sends(words, **options):
    run = Run(["--forward-mode=txonly", *words], **options)
    run.kept_the_contract()
    run.check(0 < run.total("TX-packets") <= run.port()["tx_packets"], "packets are missing")
    run.check(run.port()["tx_errors"] == 0, "errors")


def receives(count):
    run = Run(["--forward-mode=rxonly", *queues(count)], sim=["--backend", "generator"])
    run.kept_the_contract()
    run.check(0 < run.total("RX-packets") <= run.port()["rx_packets"], "packets are missing")
    streams = re.findall(r"RX Port= 0/Queue= *(\d+) .*?RX-packets: (\d+)", run.log, re.S)
    run.check(count == 1 or len({queue for queue, packets in streams if int(packets)}) == count,
              f"not every queue received: {streams}")


def forwards(words, ports=1, backend="loopback", device=DEVICE):
    run = Run(["--forward-mode=io", "--tx-first", *words], device=device,
              sim=["--ports", str(ports), "--backend", backend])
    run.kept_the_contract()
    for index in range(ports):
        port = run.port(index)
        peer = run.port(index ^ 1 if backend == "cross" else index)
        run.check(0 < port["tx_packets"] == peer["rx_packets"], "packets got lost")
        run.check(port["rx_no_buffer"] == 0, "frames without a buffer")


def coalesces(packets):
    """Since 23.07 four packets may share a completion; before, the driver says that it cannot."""
    run = Run(["--forward-mode=rxonly"],
              sim=["--backend", "generator", "--coalesce", str(packets)])
    if run.release() < (23, 7):
        return run.says("RX coalescing is not supported")
    run.kept_the_contract()
    port = run.port()
    run.check(0 < run.total("RX-packets") <= port["rx_packets"], "packets are missing")
    run.check(port["rx_completions"] < port["rx_packets"] / 2, "packets did not share completions")
    return None


def frames_of(path):
    """The frames of a capture that this project wrote."""
    with open(path, "rb") as file:
        blob = file.read()
    at, frames = 24, []
    while at < len(blob):
        size = int.from_bytes(blob[at + 8:at + 12], "little")
        frames.append(blob[at + 16:at + 16 + size])
        at += 16 + size
    return frames


def records():
    """A slow link, so that the file stays small; what is in it is what testpmd says it sends."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sent.pcap")
        run = Run(["--forward-mode=txonly", "--txpkts=80"], sim=["--pps", "20000", "--write", path])
        run.kept_the_contract()
        frames = frames_of(path)
    run.check(len(frames) == run.port()["tx_packets"] > 0, f"{len(frames)} frames were written")
    run.check({len(frame) for frame in frames} == {80}, "frames of another size")
    sources = {frame[6:12].hex(":") for frame in frames}
    run.check(sources == {MAC}, f"frames are from {sources}")
    run.check({frame[12:14].hex() + frame[23:24].hex() for frame in frames} == {"080011"},
              "frames that are not UDP over IPv4")


def replays():
    """What was recorded arrives: all of it, and nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sent.pcap")
        Run(["--forward-mode=txonly"], sim=["--pps", "5000", "--write", path])
        count = len(frames_of(path))
        run = Run(["--forward-mode=rxonly"], sim=["--backend", "pcap", "--read", path])
    run.kept_the_contract()
    run.check(run.port()["rx_packets"] == count > 0, f"{count} packets were in the file")
    run.check(run.port()["rx_no_buffer"] == 0, "frames without a buffer")


def keeps_to_the_rate():
    """The link takes no more than it is told; with a driver that has more to send, no less either."""
    run = Run(["--forward-mode=txonly", *queues(2)], sim=["--pps", "10000", "--latency", "100"])
    run.kept_the_contract()
    run.check(0 < run.total("TX-packets") <= run.port()["tx_packets"], "packets are missing")


def overruns():
    run = Run(["--forward-mode=txonly"], sim=["--fault", "cq=overrun,every=1000"],
              eal=["--log-level=pmd.net.mana*:error"])
    run.says("CQ overflowed")


def comes_late(fault):
    run = Run(["--forward-mode=io", "--tx-first"], sim=["--backend", "loopback", "--fault", fault])
    run.kept_the_contract()
    run.check(run.port()["tx_packets"] > 0, "nothing was sent")


def recovers():
    """Since 26.07 the driver opens the device again when it is back; before, the port is removed."""
    run = Run(["--forward-mode=txonly"],
              sim=["--pps", "1000", "--fault", "device=reset,ms=300,back=1000"],
              eal=["--log-level=pmd.net.mana*:info"], seconds=RECOVERY_SECONDS)
    if run.release() < (26, 7):
        return run.check("device removal event" in run.log, "no event")
    run.kept_the_contract()
    run.says("IBV_EVENT_DEVICE_FATAL received", "RTE_ETH_EVENT_RECOVERY_SUCCESS")
    run.check(run.port()["tx_packets"] > 1000, "no traffic after the recovery: 300 fit before it")
    return None


def fails(fault, *lines):
    run = Run(["--forward-mode=txonly"], sim=["--fault", fault], eal=["--log-level=pmd.net.mana*:info"])
    run.says(*lines)


def loses_packets():
    run = Run(["--forward-mode=txonly"], sim=["--fault", "tx=33,every=1000"])
    run.check(run.seen["status"] == 0, "testpmd failed")
    run.check(run.port()["tx_errors"] > 0, "no errors")
    run.check({rule["id"] for rule in run.seen["rules"]} <= {"leak"}, "rules are broken")


def loses_the_device():
    """Up to DPDK 26.03 the port is removed, since then it waits for the device to come back."""
    run = Run(["--forward-mode=txonly"], sim=["--fault", "device=fatal,ms=100"])
    run.check("device removal event" in run.log or "error recovering event" in run.log, "no event")
    run.kept_the_contract()


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
    "link": keeps_to_the_rate,
    "doorbell-delayed": lambda: comes_late("doorbell=delayed,every=3,us=200"),
    "doorbell-duplicated": lambda: comes_late("doorbell=duplicated"),
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
    if not os.environ.get("MANACTL_NET_MANA_TESTPMD"):
        print("MANACTL_NET_MANA_TESTPMD names no dpdk-testpmd with net_mana")
        sys.exit(SKIPPED)
    SCENARIOS[sys.argv[2]]()
