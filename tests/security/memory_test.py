# SPDX-License-Identifier: MIT
"""Small inputs that need much memory: no command needs more than 512 MiB, and the error names the limit."""
import json
import os
import resource
import shutil

from attack import HEALTHY, Attack, main
from bombs import MIB, Bundle, latency_trials, result, sparse, write_json

LIMIT = "more memory than the limit"


class Memory(Attack):
    def setUp(self):
        super().setUp()
        self.bundle = self.folder / "bomb.tar.gz"
        self.file = self.folder / "bomb.json"
        self.tree = self.folder / "tree"

    def assert_refused(self, outcome, message=LIMIT):
        self.assert_small(outcome)
        self.assert_exit(2, outcome)
        self.assert_one_line(outcome)
        self.assertIn(message, outcome.err)

    def assert_survived(self, outcome, divisor=1):
        """Input within the limits is read to its end."""
        self.assert_small(outcome, divisor)
        self.assertIn(outcome.code, (0, 1, 3), outcome)
        self.assertLessEqual(len(outcome.err.splitlines()), 1, outcome)

    def recorded(self, root):
        """Reads a captured system, and records it again: this needs several copies."""
        written = self.folder / "written.tar.gz"
        written.unlink(missing_ok=True)
        return self.run_manactl("doctor", "--root", root, "--bundle", written, "--scrub")

    def copy_tree(self):
        shutil.copytree(HEALTHY, self.tree, symlinks=True)
        return self.tree


class Bundles(Memory):
    def check(self):
        return self.run_manactl("check", "--root", self.bundle)

    def test_deep_paths(self):
        with Bundle(self.bundle) as bundle:
            for i in range(300):
                bundle.file(f"sys/{i}/" + "a/" * 1990)
        self.assert_refused(self.check())
        self.assert_small(self.run_manactl("__complete", "--", "--root", self.bundle, "check", ""))

    def test_long_names(self):
        with Bundle(self.bundle) as bundle:
            for i in range(30000):
                bundle.file(f"sys/{i}-" + "a" * 4000)
        self.assert_refused(self.check())

    def test_too_long_names_and_link_targets(self):
        with Bundle(self.bundle) as bundle:
            bundle.file("sys/" + "a" * 4096)
        self.assert_refused(self.check(), "too long a name")
        with Bundle(self.bundle) as bundle:
            for i in range(100):
                bundle.link(f"sys/{i}", "a/" * 400000)
        self.assert_refused(self.check(), "target is too long")

    def test_links_into_missing_directories(self):
        """Recording a system again must not keep every beginning of a path that leads nowhere: these have 800 MB."""
        with Bundle(self.bundle, HEALTHY) as bundle:
            for i in range(200):
                bundle.link(f"sys/bus/vmbus/devices/{i}", f"{i}/" + "a/" * 2000)
        self.assert_survived(self.check())
        self.assert_survived(self.recorded(self.bundle))

    def test_contents(self):
        with Bundle(self.bundle) as bundle:
            for i in range(8):
                bundle.zeros(f"sys/{i}", 15 * MIB)
        self.assert_refused(self.check())

    def test_one_content(self):
        with Bundle(self.bundle) as bundle:
            bundle.zeros("sys/a", 600 * MIB)
        self.assert_refused(self.check())

    def test_the_limit_of_the_kernel(self):
        """It covers what no budget counts. Here, the bundle is within its budget, and the kernel's limit is lower than usual."""
        with Bundle(self.bundle) as bundle:
            bundle.zeros("sys/a", 60 * MIB)
        outcome = self.run_manactl("check", "--root", self.bundle, limits=[(resource.RLIMIT_DATA, 40 * MIB)])
        self.assert_refused(outcome, "the limit for any input is 512 MiB")

    def test_logs(self):
        with Bundle(self.bundle, HEALTHY) as bundle:
            bundle.zeros("manactl/kernel.log", 15 * MIB, b"-\n")
            bundle.zeros("logs/1.log", 7 * MIB, b"-\n")
        self.assert_survived(self.recorded(self.bundle), divisor=4)

    def test_json_of_a_captured_system(self):
        for text, message in ((b"[" * (15 * MIB), "deeper than 64"),
                              (b'{"links":[' + b"{}," * (4 * MIB) + b"{}]}", LIMIT),
                              (b'{"links":[' + b"0," * (4 * MIB) + b"0]}", LIMIT)):
            with Bundle(self.bundle, HEALTHY) as bundle:
                bundle.file("manactl/links.json", text)
            self.assert_refused(self.check(), message)

    def test_interfaces_that_share_an_index_and_its_addresses(self):
        links = json.loads((HEALTHY / "manactl/links.json").read_text())
        links["links"] += [links["links"][1]] * 2000
        addresses = [{"index": 2, "text": "10.0.0.4", "prefix_length": 24}] * 20000
        with Bundle(self.bundle, HEALTHY) as bundle:
            bundle.file("manactl/links.json", json.dumps(links).encode())
            bundle.file("manactl/addresses.json", json.dumps({"addresses": addresses}).encode())
        self.assert_refused(self.check(), "two links have the index 2")


class Trees(Memory):
    def test_sparse_logs(self):
        for i in range(40):
            sparse(self.copy_tree() / f"logs/{i}.log" if i == 0 else self.tree / f"logs/{i}.log", 60 * MIB)
        self.assert_refused(self.run_manactl("doctor", "--root", self.tree))
        self.assert_refused(self.recorded(self.tree))

    def test_many_logs(self):
        (self.copy_tree() / "logs").mkdir()
        for i in range(300):
            (self.tree / f"logs/{i}.log").write_text("EAL: Error\n")
        self.assert_refused(self.run_manactl("doctor", "--root", self.tree), "300 logs, more than the limit of 200")

    def test_sparse_files(self):
        sparse(self.copy_tree() / "manactl/kernel.log", 250 * MIB)
        release = json.loads((self.tree / "manactl/process.json").read_text())["kernel"]["release"]
        (self.tree / "manactl/modules.json").unlink()
        for name in ("vmlinux", "ib_core", "ib_uverbs", "mana_ib"):
            sparse(self.tree / "sys/kernel/btf" / name, 63 * MIB)
        for name in (f"lib/modules/{release}/modules.dep", "var/lib/dpkg/status", "etc/os-release", "proc/meminfo"):
            sparse(self.tree / name, 15 * MIB)
        for command in ("check", "status"):  # these do not read the kernel log
            self.assert_survived(self.run_manactl(command, "--root", self.tree))
        for command in (lambda: self.run_manactl("doctor", "--root", self.tree), lambda: self.recorded(self.tree)):
            self.assert_refused(command(), "kernel.log': it is larger than 64 MiB")
        (self.tree / "manactl/kernel.log").unlink()
        self.assert_survived(self.run_manactl("doctor", "--root", self.tree))
        self.assert_survived(self.recorded(self.tree))


class Results(Memory):
    def show(self, *options):
        return self.run_manactl("bench", "show", self.file, *options)

    def write_series(self, intervals, queues, mode="tx"):
        """Writes a result whose series has this number of intervals and queues, and returns its path."""
        def change(document):
            document["series"] = ["@series"]
        series = f'{{"seconds":[{"1," * (intervals - 1)}1],"disturbed":[],"total":{{}},"queues":[{"{}," * (queues - 1)}{{}}]}}'
        return write_json(self.folder / f"{mode}.json", result(change, mode), series=series)

    def write_field(self, key, text):
        write_json(self.file, result(lambda document: document.update({key: "@text"})), text=text)

    def test_nesting(self):
        self.file.write_text("[" * 20_000_000)
        self.assert_refused(self.show(), "deeper than 64 levels")

    def test_intervals_times_queues(self):
        file = self.write_series(6000, 6000)
        self.assert_refused(self.run_manactl("bench", "show", file))
        self.assert_refused(self.run_manactl("bench", "compare", file, file))

    def test_the_largest_series_in_every_format(self):
        for intervals, queues in ((180_000, 1), (5000, 150)):
            sent, received = (self.write_series(intervals, queues, mode) for mode in ("tx", "rx"))
            for output in ("text", "json", "ndjson", "csv", "html"):
                outcome = self.run_manactl("bench", "show", sent, "-o", output)
                self.assert_small(outcome)
                self.assert_exit(0, outcome)
            for command, other in (("compare", sent), ("merge", received)):
                self.assert_survived(self.run_manactl("bench", command, sent, other))

    def test_histograms_of_many_trials(self):
        write_json(self.file, result(lambda document: latency_trials(document, 2500)))
        self.assert_refused(self.show())

    def test_lists(self):
        for key, text in (("notes", "[" + '"",' * 5_000_000 + '""]'), ("trials", "[" + "{}," * 5_000_000 + "{}]"),
                          ("ports", "[" + "[0]," * 5_000_000 + "[0]]"), ("more", "[" + "0," * 15_000_000 + "0]")):
            self.write_field(key, text)
            self.assert_refused(self.show())

    def test_members(self):
        self.write_field("more", "{" + ",".join(f'"{i}":0' for i in range(100_000)) + "}")
        self.assert_refused(self.show(), "more than 4096 members")

    def test_saved_results(self):
        """Each result needs more than 70 MB while it is read."""
        self.write_field("notes", "[" + '"",' * 800_000 + '""]')
        saved = self.folder / "results"
        saved.mkdir(mode=0o700)
        for i in range(10):
            shutil.copy(self.file, saved / f"20260101-0000{i:02}-abcd.json")
            os.chmod(saved / f"20260101-0000{i:02}-abcd.json", 0o600)
        for options in ((), ("--json",)):
            outcome = self.run_manactl("bench", "list", "--results", saved, *options)
            self.assert_small(outcome)
            self.assert_exit(0, outcome)


class Logs(Memory):
    def test_many_excerpts(self):
        options = []
        for number in range(100):
            log = self.folder / f"{number}.log"
            log.write_bytes(b"EAL: Error\n" * (5 * MIB // 11))
            options += ["--log", log]
        self.assert_refused(self.run_manactl("doctor", *options, "--bundle", self.folder / "out.tar.gz"))


class Machine(Memory):
    def test_a_machine_without_memory(self):
        """The message does not blame an input."""
        messages = set()
        for pages in range(256, 2048, 8):
            outcome = self.run_manactl("check", "--json", limits=[(resource.RLIMIT_DATA, pages * 4096)])
            if outcome.code in (0, 1, 3):
                break
            last = (outcome.err.splitlines() or [""])[-1]  # the first lines may be of DPDK's constructors
            if last.startswith("manactl: "):  # the program started
                self.assert_exit(70, outcome)
                messages.add(last)
        self.assertEqual(messages, {"manactl: not enough memory"})


class Dumps(Memory):
    def decode(self, content, *options, kind="cqe"):
        file = self.folder / "dump"
        file.write_bytes(content)
        return self.run_manactl("decode", kind, file, *options)

    def test_lines_and_groups(self):
        for content in (b"00\n" * (5 * MIB), b"00 " * (5 * MIB), b"0000000:\n" * MIB, b"a\n" * (7 * MIB)):
            self.assert_refused(self.decode(content), "limit of 128 MiB")
        self.assert_refused(self.decode(b"0 " * (9 * MIB)), "larger than 16 MiB")
        self.assert_refused(self.decode(b"0000000: " * MIB), "is not hexadecimal")
        self.assert_survived(self.decode(b"00 " * MIB))

    def test_the_smallest_records(self):
        """Each record has many fields, and JSON names all of them."""
        self.assert_survived(self.decode(b"\0" * (MIB // 2), "--json", kind="wqe-header"))

    def test_a_capture_of_the_software_adapter(self):
        file = self.folder / "in.pcap"
        sparse(file, 1000 * MIB)
        outcome = self.run_manactl("sim", "--backend", "pcap", "--read", file, "--", "/bin/true")
        self.assert_small(outcome)
        self.assert_one_line(outcome)
        self.assertIn("larger than 192 MiB", outcome.err)


if __name__ == "__main__":
    main()
