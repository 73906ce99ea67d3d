#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""net_mana_test.py MANACTL TESTPMD SCENARIO...: runs DPDK's unmodified net_mana on the software adapter.

TESTPMD is a dpdk-testpmd whose DPDK has net_mana. The scenario "all" runs all of them, "list" prints their names.
"""
import os
import re
import signal
import sys
import tempfile

sys.dont_write_bytecode = True
from testpmd_run import BURST, DEVICE, MAC, Run

RECOVERY_SECONDS = 20  # net_mana waits 15 s before it opens the device again


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
    run.check(not run.violations(), "contract violations")


def loses_the_device():
    """Up to DPDK 26.03 the driver removes the port; newer releases wait until the device returns."""
    run = Run(["--forward-mode=txonly"], sim=["--fault", "device=fatal,ms=100"])
    run.check("device removal event" in run.log or "error recovering event" in run.log, "no device event in the log")
    run.check_contract()


def inserts_a_tag():
    """The driver asks the adapter to insert a VLAN tag, since DPDK 24.03."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sent.pcap")
        run = Run([], sim=["--pps", "20000", "--write", path],
                  commands=["port stop all", "tx_vlan set 0 5", "port start all", "set fwd txonly", "start"])
        run.check_contract()
        frames = frames_of(path)
    run.check(frames and {frame[12:16].hex() for frame in frames} == {"81000005"}, "frames have no tag")


def strips_a_tag():
    """The adapter strips the tag, and the driver puts it into the mbuf or back into the frame."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sent.pcap")
        Run([], sim=["--pps", "100", "--write", path],
            commands=["port stop all", "tx_vlan set 0 5", "port start all", "set fwd txonly", "start"])
        for option, line in (["--enable-hw-vlan-strip"], "VLAN tci=0x5"), ([], "type=0x8100"):
            run = Run(option, sim=["--backend", "pcap", "--read", path],
                      commands=["set fwd rxonly", "set verbose 1", "start"])
            run.check_contract()
            run.check_log(line)


def changes_the_mtu():
    run = Run([], commands=["port stop all", "port config mtu 0 4000", "port start all", "show port info 0", "start"])
    run.check_contract()
    run.check_log("MTU: 4000")


def hashes_all_fields():
    """mana_ib ignores the choice of fields: although only TCP is selected, UDP flows use every queue."""
    run = Run(queues(4), sim=["--backend", "generator"],
              commands=["port stop all", "port config all rss tcp", "port start all", "set fwd rxonly", "start"])
    run.check_contract()
    streams = re.findall(r"RX Port= 0/Queue= *(\d+) .*?RX-packets: (\d+)", run.log, re.S)
    run.check(len({queue for queue, packets in streams if int(packets)}) == 4, f"not every queue received: {streams}")


def sends_segments(count):
    """Sends packets of many segments. 256 descriptors are enough for a burst of the longest WQEs."""
    run = Run(["--forward-mode=txonly", "--txpkts=" + ",".join(["64"] * count), "--txd=256"])
    run.check_contract()
    run.check(run.port()["tx_packets"] > 1000, "the queue stalled")
    run.check(run.port()["tx_bytes"] == 64 * count * run.port()["tx_packets"], "segments are missing")


def stalls():
    """With 128 descriptors, net_mana fills its queue with WQEs without completions, and sends no more."""
    run = Run(["--forward-mode=txonly", "--txpkts=" + ",".join(["64"] * 8)])
    run.check("sq.stuck" in run.violations(), "the stalled queue was not noticed")
    run.check(run.port()["tx_packets"] < BURST, "the queue did not stall")
    run.check(run.report["exit"] == 1, "the exit code is not 1")


def forwards_in_every_mode():
    for mode in ("mac", "macswap", "flowgen", "5tswap", "csum", "icmpecho", "noisy"):
        run = Run([f"--forward-mode={mode}", "--tx-first"], sim=["--backend", "loopback"])
        run.check_contract()
        run.check_counters()


def uses_queues(count):
    for mode, backend in ("txonly", "sink"), ("rxonly", "generator"), ("io", "loopback"):
        run = Run([f"--forward-mode={mode}", *queues(count), "--tx-first", "--no-flush-rx"], sim=["--backend", backend])
        run.check_contract()
        run.check_counters(count)
        packets = run.port()["tx_packets"] + run.port()["rx_packets"]
        run.check(packets > 0, f"no packets in mode {mode}")


def restarts(count):
    """Stops and starts the port under traffic. testpmd forwards again after each start."""
    once = ["stop", "port stop all", "port start all", "start tx_first"]
    run = Run(queues(count), sim=["--backend", "loopback"], commands=["set fwd io", "start tx_first", *once * 50])
    run.check_contract()
    run.check(run.log.count("Port 0: 00:0D:3A:76:3B:D0") > 50, "the port did not restart")
    run.check(run.log.count("Forward statistics for port 0") > 50, "testpmd did not forward after each start")
    run.check(not re.search(r"TX-packets: 0 ", run.log), "a restarted port sent nothing")


def attaches_again():
    """Detaches the device after its port is closed, and attaches it again."""
    run = Run([], commands=["port stop all", "port close 0", "device detach 7870:00:00.0", "show port summary all",
                            f"port attach 7870:00:00.0,mac={MAC}", "port start all", "set fwd txonly", "start"])
    run.check_contract()
    run.check_log("Now total ports is 0", "Number of available ports: 0", "Port 0 is attached. Now total ports is 1")
    run.check(run.port()["tx_packets"] > 1000, "the attached port sent nothing")


def detaches_an_open_port():
    """The port remains without its device, and testpmd crashes when it reads the name of the device."""
    run = Run([], commands=["port stop all", "device detach 7870:00:00.0", "show port summary all"])
    run.check_log("Device 7870:00:00.0 is detached", "Now total ports is 1")
    run.check(run.report["signal"] == signal.SIGSEGV, "testpmd did not crash")
    run.check_nothing_is_left()


def is_killed(victim):
    """After SIGKILL, the launcher and testpmd end, and the files of the adapter are removed."""
    run = Run(["--forward-mode=txonly"], kill=victim)
    run.check(len(run.children) == 2, f"the children of the launcher are {run.children}")
    run.check_nothing_is_left(run.children)
    if victim != "launcher":
        run.check((run.report["signal"], run.report["exit"]) == (9, 128 + 9), "wrong exit code")
        run.check(run.port()["tx_packets"] > 0, "the counters are lost")


def is_strict():
    """With --strict, known defects of the driver count."""
    run = Run([], sim=["--strict"], commands=["port stop all", "port start all", "start"])
    known = [rule for rule in run.report["rules"] if rule["known_defect"]]
    run.check(run.report["exit"] == (1 if known else 0), "wrong exit code")
    run.check(all(rule["reference"] for rule in known), "a known defect has no reference")


def crashes():
    """After a crash of testpmd, nothing of the adapter is left behind."""
    run = Run(["--forward-mode=txonly"], sim=["--fault", "create_qp=crash"])
    run.check(run.report["signal"] == 6, "testpmd did not crash")
    run.check_nothing_is_left()


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
    "vlan-insert": inserts_a_tag,
    "vlan-strip": strips_a_tag,
    "mtu": changes_the_mtu,
    "rss": hashes_all_fields,
    "segments-7": lambda: sends_segments(7),
    "segments-15": lambda: sends_segments(15),
    "segments-stall": stalls,
    "modes": forwards_in_every_mode,
    **{f"queues-{count}": lambda count=count: uses_queues(count) for count in (1, 2, 4, 8, 16, 32)},
    "restarts": lambda: restarts(1),
    "restarts-8": lambda: restarts(8),  # needs all mbufs if a restart loses those of the receive rings
    "detach": attaches_again,
    "detach-open": detaches_an_open_port,
    "kill-launcher": lambda: is_killed("launcher"),
    "kill-testpmd": lambda: is_killed("testpmd"),
    "strict": is_strict,
    "crash": crashes,
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
