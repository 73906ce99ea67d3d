# SPDX-License-Identifier: MIT
"""Captured systems that need much time: no command needs more than seconds, although each file is within its limits.

The time of a search that compares everything with everything would be minutes or hours. run() ends it after ten minutes.
"""
import json
import shutil
import struct

from attack import HEALTHY, Attack, main
from bombs import MIB, Bundle

INCOMPLETE = "cannot determine which NIC carries which traffic"


def ip(net, number):
    return f"{net}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


class Time(Attack):
    def setUp(self):
        super().setUp()
        self.tree = self.folder / "tree"
        shutil.copytree(HEALTHY, self.tree, symlinks=True)

    def write(self, name, key, items):
        (self.tree / "manactl" / f"{name}.json").write_text(json.dumps({key: items}))

    def write_links(self, chain, bottom=2, members=()):
        """VLANs with the indexes from 1000, each on top of the next one and the last on the interface `bottom`; and `members` of 7."""
        links = json.loads((self.tree / "manactl/links.json").read_text())["links"]
        vlan = {**links[1], "kind": "vlan", "master": None}
        links += [{**vlan, "index": i, "name": f"v{i}", "lower": i + 1 if i < 999 + chain else bottom} for i in range(1000, 1000 + chain)]
        links += [{**links[1], "index": 100000 + i, "name": name, "master": 7} for i, name in enumerate(members)]
        self.write("links", "links", links)

    def write_addresses(self, addresses):
        """Addresses, as pairs of the index of the interface and the text."""
        self.write("addresses", "addresses", [{"index": i, "text": text, "prefix_length": 24} for i, text in addresses])

    def write_sockets(self, ends):
        """Connections to port 22, as pairs of the local and the remote address."""
        def socket(listening, local, remote):
            return {"listening": listening, "local_address": local, "local_port": 22,
                    "remote_address": remote, "remote_port": 1, "inode": 0}

        self.write("sockets", "tcp", [socket(True, "", "")] + [socket(False, *pair) for pair in ends])

    def write_routes(self, destinations, output=2):
        self.write("routes", "routes", [{"destination": destination, "gateway": "", "outputs": [output], "table": 254, "metric": 1}
                                        for destination in destinations])

    def write_mounts(self, servers):
        (self.tree / "proc/mounts").write_text("".join(f"a a a addr={server}\n" for server in servers))

    def check(self):
        outcome = self.run_manactl("check", "-v", "--root", self.tree)
        self.assertIn(outcome.code, (0, 1), outcome)
        self.assert_small(outcome)
        return " ".join(outcome.out.split())

    def test_sessions_through_a_chain_of_links(self):
        self.write_links(10000)
        self.write_addresses((1000 + i, ip(10, i)) for i in range(10000))
        self.write_sockets((ip(10, i), ip(11, i)) for i in range(10000))
        self.assertIn("SSH session from 11.0.0.0", self.check())

    def test_default_routes_through_a_chain_of_links(self):
        self.write_links(10000)
        self.write_routes(["default"] * 30000, output=1000)
        self.assertIn("eth0 carries default route", self.check())

    def test_sessions_of_one_address_of_many_links(self):
        # 10.0.0.4 is the address of the own session. Without an interface, every NIC might carry that session.
        self.write_addresses([(2, "10.0.0.4")] + [(2, "10.9.9.9")] * 30000)
        self.write_sockets(("10.9.9.9", ip(11, i)) for i in range(30000))
        self.assertIn(INCOMPLETE, self.check())

    def test_mounts_of_a_server_with_many_connections(self):
        self.write_sockets(("10.0.0.4", "1.1.1.1") for _ in range(30000))
        self.write_mounts(["1.1.1.1"] * 800000)
        self.assertIn("a mount at a (1.1.1.1)", self.check())

    def test_mounts_of_a_server_with_many_local_addresses(self):
        self.write_addresses((2, ip(10, i)) for i in range(30000))
        self.write_sockets((ip(10, i), "1.1.1.1") for i in range(30000))
        self.write_mounts(["1.1.1.1"] * 800000)
        self.assertIn(INCOMPLETE, self.check())

    def test_mounts_of_many_servers_with_many_routes(self):
        self.write_routes(ip(11, i) for i in range(30000))
        self.write_mounts(ip(11, i) for i in range(100000))
        self.assertIn(INCOMPLETE, self.check())
        outcome = self.run_manactl("doctor", "--root", self.tree, "--bundle", self.folder / "bundle.tar.gz", "--scrub")
        self.assertIn(outcome.code, (0, 1), outcome)

    def test_many_interfaces_above_many_nics(self):
        """250 NICs of a bond, and thousands of VLANs on top of it."""
        names = [f"n{i}" for i in range(250)]
        driver = {"driver": "hv_netvsc", "version": "", "bus_info": "", "firmware": ""}
        self.write("ethtool", "interfaces", {name: {"driver": driver} for name in names})
        self.write_links(28000, bottom=7, members=names)
        self.write_addresses((1000 + i, ip(10, i)) for i in range(10000))
        self.write_sockets((ip(10, i), ip(11, i % 50)) for i in range(10000))
        self.assertIn(INCOMPLETE, self.check())

    def test_names_and_enumerators_of_the_kernel(self):
        """BTF with a million offsets of the name that is searched for, and two million enumerators with other names."""
        enum = struct.pack("<III", 0, 6 << 24 | 0xffff, 4) + struct.pack("<Ii", 2, 1) * 0xffff
        types = enum * (15 * MIB // len(enum))
        strings = b"\0" + b"RDMA_DRIVER_MANA\0" * MIB
        header = struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(types), len(types), len(strings))
        (self.tree / "sys/kernel/btf/vmlinux").write_bytes((header + types + strings)[:32 * MIB])
        self.check()

    def test_secrets_in_long_lines(self):
        """Lines in which each second character may begin a secret."""
        parts = ("x=", "=", "eyJ=", "$.", "$a$.", "a:", "://a:", "authorization: a ")
        for start, part, size in [("", part, 2 * MIB) for part in parts] + [("password=a", ",.", 8 * MIB)]:
            with self.subTest(part):
                log = self.folder / "long.log"
                log.write_text(start + part * (size // len(part)) + "\n")
                outcome = self.run_manactl("doctor", "--root", self.tree, "--log", log, "--bundle", self.folder / "bundle.tar.gz", "--scrub")
                self.assertIn(outcome.code, (0, 1), outcome)
                (self.folder / "bundle.tar.gz").unlink()

    def test_continued_lines_of_modprobe(self):
        """Files in which each line is empty and continued."""
        self.write_available_modules()
        directory = self.tree / "etc/modprobe.d"
        directory.mkdir(parents=True, exist_ok=True)
        for i in range(90):
            (directory / f"{i}.conf").write_text("\\\n" * (MIB // 2))
        self.check()
        outcome = self.run_manactl("doctor", "--root", self.tree, "--bundle", self.folder / "bundle.tar.gz", "--scrub")
        self.assertIn(outcome.code, (0, 1), outcome)

    def write_available_modules(self):
        """Modules that are not loaded, so that the configuration of modprobe decides."""
        (self.tree / "manactl/modules.json").write_text("{}")
        release = json.loads((self.tree / "manactl/process.json").read_text())["kernel"]["release"]
        directory = self.tree / "lib/modules" / release
        directory.mkdir(parents=True)
        (directory / "modules.dep").write_text("".join(f"{name}.ko:\n" for name in ("mana", "mana_ib", "ib_uverbs", "uio_hv_generic")))

    def test_links_with_many_components(self):
        """A directory with thousands of devices, behind 39 links of which each has a thousand components."""
        path = self.folder / "links.tar.gz"
        shutil.rmtree(self.tree / "sys/bus/pci")
        with Bundle(path, of=self.tree) as bundle:
            for i in range(39):
                bundle.link(f"sys/bus/pci/{'devices' if i == 0 else i}", "./x/../" * 500 + str(i + 1))
            bundle.file("sys/bus/pci/x/x")
            for i in range(20000):
                bundle.file(f"sys/bus/pci/39/{i:04x}:00:00.0/class", b"0x020000")
        outcome = self.run_manactl("check", "-v", "--root", path)
        self.assert_exit(0, outcome)
        self.assertIn("cannot follow '/sys/bus/pci/devices': too many directories on the way", " ".join(outcome.out.split()))

    def test_device_lists_of_network_manager(self):
        """250 VFs, each of which is compared with each pattern."""
        names = [f"n{i}" for i in range(250)]
        driver = {"driver": "mana", "version": "", "bus_info": "", "firmware": ""}
        self.write("ethtool", "interfaces", {name: {"driver": driver} for name in names})
        self.write_links(1, members=names)
        directory = self.tree / "etc/NetworkManager/conf.d"
        directory.mkdir(parents=True)
        (self.tree / "run/NetworkManager").mkdir(parents=True)
        for i in range(6):
            (directory / f"{i}.conf").write_text("unmanaged-devices=" + "driver:*x*y;" * MIB)
        self.assertIn("the rules of the network managers have more than 256 KiB", self.check())


main()
