# SPDX-License-Identifier: MIT
"""Virtual devices of bench that let other users into the memory of root, or that interrupt the machine."""
import pathlib
import socket
import subprocess
import time

from attack import MANACTL, Attack, main

BENCH = ("bench", "--no-huge", "--no-save", "--duration", "60")
DENIED = 4
DEFAULT_SOCKET = "/run/memif.sock"  # of DPDK
NIC, PEER = "nic", "peer"


class Vdev(Attack):
    def refusal(self, device, *options, began):
        """Checks that bench refuses the device before began() returns true, and returns the message."""
        with subprocess.Popen([MANACTL, *BENCH, "--vdev", device, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            while process.poll() is None and not began():
                time.sleep(0.001)
            found = began()
            process.kill()
            out, err = process.communicate()
        self.assertFalse(found, f"bench --vdev {device} began")
        self.assertEqual((process.returncode, out, len(err.splitlines())), (DENIED, "", 1), err)
        return err


class Memif(Vdev):
    """The peer of net_memif can change the memory of bench."""

    def sockets(self):
        """The Unix sockets with a name, in this network namespace, and the files that a server would create."""
        lines = pathlib.Path("/proc/net/unix").read_text().splitlines()[1:]
        return [line for line in lines if len(line.split()) > 7], sorted(self.folder.iterdir())

    def assert_refused(self, device, reason):
        before = self.sockets()
        self.assertIn(reason, self.refusal(device, began=lambda: self.sockets() != before))

    def assert_both_refused(self, arguments, name, reason):
        """Tries a server, and a client while another process listens on this name."""
        with self.subTest(arguments, role="server"):
            self.assert_refused(f"net_memif0,role=server{arguments}", reason)
        with self.subTest(arguments, role="client"), socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(name)
            listener.listen()
            self.assert_refused(f"net_memif0,role=client{arguments}", reason)

    def test_an_abstract_socket_is_refused(self):
        file = f"{self.folder}/x"
        for arguments, name in (("", DEFAULT_SOCKET), (f",socket={file}", file), (f",socket={file},socket-abstract=yes", file)):
            self.assert_both_refused(arguments, f"\0{name}", "every user could connect")

    def test_a_file_in_a_directory_that_others_can_enter_is_refused(self):
        file = f"{self.folder}/x"  # a server would create it
        self.assert_both_refused(f",socket-abstract=no,socket={file}", file, "other users can enter")


class Packets(Vdev):
    """net_af_packet sends at full rate on an interface of the kernel."""

    def setUp(self):
        super().setUp()
        for command in (f"link add {NIC} type veth peer name {PEER}", f"link set {NIC} addrgenmode none up",
                        f"link set {PEER} addrgenmode none up", f"address add 192.0.2.1/24 dev {NIC}"):
            subprocess.run(["ip", *command.split()], check=True)
        self.addCleanup(subprocess.run, ["ip", "link", "delete", NIC], check=True)

    @staticmethod
    def has_packet_socket():
        return len(pathlib.Path("/proc/net/packet").read_text().splitlines()) > 1

    def assert_refused_with_route(self, *words):
        subprocess.run(["ip", *words, "dev", NIC], check=True)
        for mode in ("tx", "fwd", "txrx", "rtt"):
            with self.subTest(mode):
                error = self.refusal(f"net_af_packet0,iface={NIC}", "--mode", mode, began=self.has_packet_socket)
                self.assertIn(f"'{NIC}' carries the default route", error)

    def test_the_interface_of_the_default_route_is_refused(self):
        self.assert_refused_with_route("route", "add", "default", "via", "192.0.2.2")

    def test_the_interface_of_the_default_route_of_ipv6_is_refused(self):
        self.assert_refused_with_route("-6", "route", "add", "default")


if __name__ == "__main__":
    main()
