#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""programs_test.py MANACTL TREE SCENARIO: runs unmodified programs on the software adapter.

They are configured by the output of manactl args. The packages of Debian 13 are unpacked in TREE. The scenario "list"
prints the names of all scenarios.
"""
import ipaddress
import os
import re
import socket
import struct
import sys

sys.dont_write_bytecode = True
from packaged_programs import (FOLDER, SOURCE, Adapter, arguments, check, diagnosis, enter_namespaces, library, program,
                               read, run, shell, write)

FLOWS = 200
FRAMES = 2000
CHUNK = 50  # fewer frames than a queue has descriptors
CAPTURE = f"{FOLDER}/capture.pcap"
CPUS = 8  # of the VM that manactl args reads
VF = "enP30832p0s0"  # in a VM without VMBus, as the adapter has none


def frame(source, flow, payload):
    """A UDP datagram from host 0 to host 1 or the reverse, without a UDP checksum."""
    hosts = [(bytes([2, 0, 0, 0, 0, n]), ipaddress.ip_address(f"10.9.0.{n + 1}").packed) for n in (source, 1 - source)]
    udp = struct.pack(">HHHH", 1000 + flow, 2000, 8 + len(payload), 0) + payload
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, hosts[0][1], hosts[1][1])
    total = sum(struct.unpack(">10H", ip))
    checksum = 0xffff - (total % 0xffff or 0xffff)
    return hosts[1][0] + hosts[0][0] + b"\x08\x00" + ip[:10] + struct.pack(">H", checksum) + ip[12:] + udp


def frames_from(source):
    return [frame(source, number % FLOWS, b"frame %010d" % number) for number in range(FRAMES)]


# ---- Open vSwitch -------------------------------------------------------------------------------

class OpenVswitch:
    """Open vSwitch with its database, whose daemon runs on an adapter with two ports."""
    control = "/run/openvswitch/ovs-vswitchd.ctl"
    log = f"{FOLDER}/ovs-vswitchd.log"

    def __init__(self, threads):
        self.threads = threads
        script = arguments("debian12-dpdk", ["eth0", "eth1"], "--for", "ovs", "--threads", str(threads))
        database = f"{FOLDER}/conf.db"
        run(*program("bin/ovsdb-tool"), "create", database, f"{sys.argv[2]}/usr/share/openvswitch/vswitch.ovsschema")
        run(*program("sbin/ovsdb-server"), database, "--remote=punix:/run/openvswitch/db.sock", "--detach", "--pidfile",
            f"--log-file={FOLDER}/ovsdb-server.log")
        shell("ovs-vsctl --no-wait init", "bin/ovs-vsctl", "bin/ovs-appctl")
        # As manactl-args(1) explains: set dpdk-init, start the daemon, then run all commands.
        shell("\n".join(line for line in script.splitlines() if "dpdk-init" in line))
        self.start()
        shell(script)

    def start(self):
        """Starts the daemon. The machine may have fewer CPUs than the VM: the daemon does not pin threads with --dummy-numa."""
        numa = ",".join(["0"] * CPUS)
        self.adapter = Adapter("sim", [*program("lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk"), f"--log-file={self.log}",
                                       f"--unixctl={self.control}", f"--dummy-numa={numa}"],
                               "--ports", "2", "--mac", "00:0d:3a:76:3b:d0", "--backend", "tap")

    def control_command(self, words):
        return shell(f"ovs-appctl -t {self.control} {words}")

    def wait_for_ports(self):
        """Waits until the daemon polls queues of both ports. Before, the control socket may not exist."""
        self.adapter.wait_until(lambda: {"dpdk0", "dpdk1"} <= set(
            re.findall(r"port: (\w+)", self.control_command("dpif-netdev/pmd-rxq-show || true"))), "queues of both ports")

    def statistics(self, port):
        counters = shell(f"ovs-vsctl get Interface dpdk{port} statistics")
        return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", counters)}

    def check_queues(self):
        """Every PMD thread polls queues."""
        queues = self.control_command("dpif-netdev/pmd-rxq-show")
        check(queues.count("pmd thread") == self.threads, f"not {self.threads} PMD threads:\n{queues}")
        check(queues.count("queue-id") == 2 * (self.threads + 1), f"a wrong number of queues:\n{queues}")

    def stop(self):
        self.control_command("exit")
        return self.adapter.ports()


def exchange():
    """Sends frames to both ports, and receives exactly these from the other port."""
    hosts = []
    for port in 0, 1:
        run("ip", "link", "set", f"sim{port}", "up")
        hosts.append(socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800)))
        hosts[-1].bind((f"sim{port}", 0))
        hosts[-1].settimeout(60)
    # The last frame of each flow is sent alone, so that the last burst of a PMD thread has one frame.
    frames = [frames_from(source) for source in (0, 1)]
    sizes = [CHUNK] * ((FRAMES - FLOWS) // CHUNK) + [1] * FLOWS
    start = 0
    for size in sizes:
        for source in 0, 1:
            sent = frames[source][start:start + size]
            for one in sent:
                hosts[source].send(one)
            received = [hosts[1 - source].recv(2048) for _ in sent]
            check(sorted(received) == sorted(sent), f"frames {start} to {start + size} of port {source} differ")
        start += size
    for host in hosts:
        host.close()


def check_counters(ovs):
    """Compares the counters of Open vSwitch and of the adapter with the number of frames.

    net_mana counts a sent packet at the next burst of its queue, so each PMD thread may leave its last packet uncounted.
    """
    statistics = [ovs.adapter.wait_until(lambda port=port: (found := ovs.statistics(port)).get("rx_packets") == FRAMES and found,
                                         f"{FRAMES} packets at dpdk{port}") for port in (0, 1)]
    for found, port in zip(statistics, ovs.stop()):
        size = len(frame(0, 0, b"frame %010d" % 0))
        check(port["rx_packets"] == port["tx_packets"] == FRAMES, f"the adapter counts {port}")
        check(port["rx_bytes"] == found["rx_bytes"] == FRAMES * size, f"wrong numbers of bytes: {found} {port}")
        check(1 <= FRAMES - found["tx_packets"] <= ovs.threads, f"Open vSwitch counts {found}")
        check(found["tx_bytes"] == found["tx_packets"] * size, f"wrong numbers of bytes: {found}")
        lost = {name: value for name, value in found.items() if re.search("drop|error", name) and value}
        check(not lost, f"Open vSwitch lost packets: {lost}")


def switches(threads, wrong_queues):
    ovs = OpenVswitch(threads)
    for _ in "start", "restart":
        ovs.wait_for_ports()
        ovs.check_queues()
        exchange()
        check_counters(ovs)
        ovs.start()
    ovs.wait_for_ports()
    shell(f"ovs-vsctl set Interface dpdk0 options:n_rxq={wrong_queues}")
    ovs.adapter.wait_until(lambda: "Failed to set interface dpdk0 new configuration" in read(ovs.log), "the error about n_rxq")
    found = diagnosis(ovs.log)
    check((found["root"] or {}).get("id") == "mana-unequal-queue-counts", f"a wrong diagnosis: {found['root']}")
    check(any("n_rxq=" in command for command in found["root"]["remedy"]["commands"]), f"a wrong remedy: {found['root']}")
    ovs.stop()


# ---- Suricata -----------------------------------------------------------------------------------

def write_capture(path, frames):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHIIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for number, one in enumerate(frames):
            file.write(struct.pack("<IIII", 1700000000, number, len(one), len(one)) + one)


def replace_sections(text, sections):
    """Replaces sections of a YAML file by those with the same name."""
    parts = re.split(r"^(?=\w)", text, flags=re.M)
    new = {part.partition(":")[0]: part for part in re.split(r"^(?=\w)", sections, flags=re.M) if part}
    check(set(new) <= {part.partition(":")[0] for part in parts}, f"suricata.yaml lacks one of {set(new)}")
    return "".join(new.get(part.partition(":")[0], part) for part in parts)


class Suricata:
    """Suricata on an adapter with one port that receives the frames of CAPTURE, with the settings of manactl args."""
    settings = f"{FOLDER}/suricata.yaml"

    def __init__(self, change=lambda settings: settings, run_as=()):
        etc = f"{sys.argv[2]}/etc/suricata"
        printed = arguments("mana-direct", [VF], "--for", "suricata", "--threads", "1")
        write(self.settings, change(replace_sections(read(f"{etc}/suricata.yaml"), printed)))
        write(f"{FOLDER}/test.rules", 'alert udp any any -> any 2000 (msg:"test"; content:"the last frame"; sid:1; rev:1;)\n')
        write_capture(CAPTURE, [*frames_from(0), frame(0, 0, b"the last frame")])
        files = [f"{name}-file={etc}/{file}.config" for name, file in
                 (("classification", "classification"), ("reference-config", "reference"), ("threshold", "threshold"))]
        self.adapter = Adapter("suricata", [*run_as, *program("bin/suricata"), "--dpdk", "-c", self.settings, "-l", FOLDER, "-v",
                                            "-S", f"{FOLDER}/test.rules", *(word for file in files for word in ("--set", file))],
                               "--backend", "pcap", "--read", CAPTURE)


def detects():
    """Suricata sees every frame of a capture; a rule matches the last one."""
    suricata = Suricata().adapter
    alerts = f"{FOLDER}/fast.log"
    suricata.wait_until(lambda: os.path.exists(alerts) and read(alerts), "an alert")
    suricata.interrupt()
    port, = suricata.ports()
    check(port["rx_packets"] == FRAMES + 1, f"the adapter counts {port}")
    check(f"packets: {FRAMES + 1}, drops: 0 (0.00%), invalid chksum: 0" in read(suricata.log), "Suricata lost packets")
    check(len(read(alerts).splitlines()) == 1 and "[1:1:1] test" in read(alerts), f"wrong alerts: {read(alerts)}")


def substitution(pattern, text):
    """Returns a function that changes settings, which must contain the pattern."""
    def change(settings):
        result, count = re.subn(pattern, text, settings, flags=re.M)
        check(count > 0, f"suricata.yaml does not contain {pattern}")
        return result
    return change


NOBODY = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups")
# Faults, each with the root cause that doctor finds in the log of the failed start.
FAILED_STARTS = [
    (dict(change=substitution("interface: net_failsafe0", "interface: eth1")), "suricata-interface-name"),
    (dict(change=substitution("interface: net_failsafe0", "interface: 7870:00:00.0")), "suricata-interface-name"),
    (dict(change=substitution("threads: 1$", "threads: 3")), "suricata-cores"),
    (dict(change=lambda settings: substitution(r'cpu: \[ "1" \]', 'cpu: [ "1", "2", "3" ]')(
        substitution("threads: 1$", "threads: 3")(settings))), "mana-queues-not-power-of-two"),
    (dict(change=substitution("mtu: 1500", "mtu: 9500")), "suricata-mtu"),
    (dict(change=substitution("proc-type: primary", "proc-type: primary\n    socket-limit: 128")), "suricata-pool-memory"),
    (dict(run_as=NOBODY), "eal-hugepage-open-failed"),
]


def fails():
    """doctor finds what keeps Suricata from starting, also if there are no hugepages or another process has the lock."""
    def expect(expected, **wrong):
        suricata = Suricata(**wrong).adapter
        check(suricata.wait() != 0, f"Suricata starts, despite {expected}")
        found = diagnosis(suricata.log)["root"]
        check(found and found["id"] == expected, f"not {expected}, but {found}")
        os.unlink(suricata.log)

    os.chmod(FOLDER, 0o777)
    for wrong, expected in FAILED_STARTS:
        expect(expected, **wrong)
    first = Suricata().adapter
    first.wait_until(lambda: "Engine started" in read(first.log), "the start of Suricata")
    os.rename(first.log, f"{FOLDER}/first.log")
    expect("eal-config-lock")
    first.interrupt()
    first.ports()
    run("umount", "/run/hugepages")
    expect("eal-hugepage-info-fatal")


# ---- A program of a user ------------------------------------------------------------------------

def receives():
    """A program that is built with pkg-config receives exactly the frames of a capture."""
    tree, binary = sys.argv[2], f"{FOLDER}/one_port"
    os.environ.update(PKG_CONFIG_SYSROOT_DIR=tree, PKG_CONFIG_LIBDIR=f"{library()}/pkgconfig:{tree}/usr/share/pkgconfig")
    flags = run("pkg-config", "--cflags", "--libs", "libdpdk").split()
    run("cc", f"--sysroot={tree}", "-O2", "-Wextra", "-Werror", f"{SOURCE}/tests/adapter/one_port.c", "-o", binary, *flags)
    printed = arguments("mana-direct", [VF], "--for", "eal")
    write_capture(CAPTURE, frames_from(0))
    user = Adapter("one_port", [*program(binary), *printed.split(), "--", str(FRAMES)], "--backend", "pcap", "--read", CAPTURE)
    port, = user.ports()
    check(f"{FRAMES} packets" in read(user.log), "packets are missing")
    check(port["rx_packets"] == FRAMES, f"the adapter counts {port}")


SCENARIOS = {
    "ovs-1": lambda: switches(1, wrong_queues=3),
    "ovs-3": lambda: switches(3, wrong_queues=2),
    "suricata": detects,
    "suricata-failures": fails,
    "user-program": receives,
}

if __name__ == "__main__":
    if sys.argv[3] == "list":
        sys.exit(print(*SCENARIOS, sep="\n"))
    enter_namespaces()
    SCENARIOS[sys.argv[3]]()
    print(f"{sys.argv[3]}: passed")
