#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ansible_test.py MANACTL ROOT: runs deploy/ansible with two network namespaces as its hosts. Needs root.

The test runs in its own mount and network namespaces, so it leaves nothing behind. nr_hugepages is a plain file there.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

MANACTL, ROOT = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:3])
POOL = "/sys/devices/system/node/node0/hugepages/hugepages-2048kB"
INVENTORY = """
senders:
  hosts:
    sender:
      ansible_python_interpreter: /run/python-a
      manactl_hugepages: 4
      manactl_bench_vdevs: ["net_af_packet0,iface=veth-a"]
receivers:
  hosts:
    receiver:
      ansible_python_interpreter: /run/python-b
      manactl_bench_vdevs: ["net_af_packet0,iface=veth-b"]
all:
  vars:
    ansible_connection: local
    ansible_become: false
    manactl_check_accept: [0, 1, 3]
    manactl_confirm_timeout: 60
    manactl_busy_delay: 0
    manactl_bench_seconds: 2
    manactl_bench_interval: 500ms
    manactl_bench_lead: 1
    manactl_bench_margin: 300
    manactl_bench_arguments: [--no-huge]
"""
# Stands in for manactl. The file "codes" lists the exit codes of its calls, one per line.
STUB = """\
#!/bin/bash
[ "$1" = status ] && { echo '{"nics": [], "others": []}'; exit 0; }
echo "$*" >>{folder}/calls
[ "$1" = confirm ] && exit 0
code=$(head -n 1 {folder}/codes); sed -i 1d {folder}/codes
undone='[{"title": "x", "undone": false, "vanished": false, "error": "EBUSY", "manual_commands": ["echo 1 > /sys/x"]}]'
[ "$1" = restore ] && echo '{"restored": [{"undone": '$undone'}]}'
case $1-$code in
  prepare-0) echo '{"outcome": "prepared", "steps": [{"changed": true}], "error": null, "undone": []}' ;;
  prepare-8) code=0; echo '{"outcome": "already-prepared", "steps": [{"changed": false}]}' ;;
  prepare-*) echo '{"outcome": "rolled-back", "steps": [], "error": "the VF is busy", "undone": '$undone'}' ;;
esac
exit $code
"""


def enter_namespaces():
    if os.geteuid() != 0:
        sys.exit("run this test as root: it creates namespaces")
    for tool in ("ansible-lint", "ansible-playbook", "ip", "nsenter", "unshare"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing: run scripts/packages test as root")
    if os.environ.get("IN_NAMESPACE") != "1":
        os.environ["IN_NAMESPACE"] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--net", "--propagation", "private", sys.executable, *sys.argv])
    for command in (f"mount -t tmpfs tmpfs {POOL}", "mount -t tmpfs -o mode=755 tmpfs /run",
                    "mkdir -p /run/netns", "mount -t tmpfs -o mode=755 tmpfs /var/lib",
                    "ip netns add a", "ip netns add b", "ip link add veth-a netns a type veth peer name veth-b netns b",
                    # Without addresses the kernel sends no packets by itself.
                    "ip -n a link set veth-a addrgenmode none up", "ip -n b link set veth-b addrgenmode none up",
                    "ip -n b link add veth-c type veth peer name veth-d", "ip -n b link set veth-c addrgenmode none up"):
        subprocess.run(command.split(), check=True)
    for name in "ab":
        python = pathlib.Path(f"/run/python-{name}")
        python.write_text(f'#!/bin/sh\nexec nsenter --net=/run/netns/{name} /usr/bin/python3 "$@"\n')
        python.chmod(0o755)
    # An empty database of dpkg. The namespace hides that of the machine.
    for name in ("dpkg/info", "dpkg/updates", "dpkg/triggers", "apt/lists/partial"):
        pathlib.Path("/var/lib", name).mkdir(parents=True)
    pathlib.Path("/var/lib/dpkg/status").touch()
    for name in ("nr_hugepages", "free_hugepages"):
        pathlib.Path(POOL, name).write_text("0\n")


class Playbook(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.inventory = self.folder / "inventory.yml"
        self.inventory.write_text(INVENTORY)
        self.results = self.folder / "results"
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()

    def play(self, *options, rc=0, **variables):
        """Runs the playbook; returns its output and, by host, the counts of its recap."""
        settings = {"manactl_path": MANACTL, "manactl_controller_path": MANACTL,
                    "manactl_results": str(self.results), **variables}
        environment = {**os.environ, "ANSIBLE_NOCOLOR": "1", "ANSIBLE_PIPELINING": "1", "ANSIBLE_LOCALHOST_WARNING": "0", "LC_ALL": "C.UTF-8",
                       "ANSIBLE_HOME": str(self.folder / "ansible"), "ANSIBLE_LOCAL_TEMP": str(self.folder / "local"),
                       "ANSIBLE_REMOTE_TEMP": str(self.folder / "remote"), "TMPDIR": str(self.temporary),
                       "ANSIBLE_ASYNC_DIR": str(self.folder / "async")}
        done = subprocess.run(["ansible-playbook", "-i", self.inventory, "-e", json.dumps(settings), *options,
                               f"{ROOT}/deploy/ansible/site.yml"], env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        self.assertEqual(done.returncode, rc, done.stdout)
        recap = {}
        for host, counts in re.findall(r"^(\w+) +: (ok=.*)$", done.stdout, re.M):
            recap[host] = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", counts)}
        return re.sub(r"\s+", " ", done.stdout), recap

    def stub(self, *codes):
        path = self.folder / "manactl"
        path.write_text(STUB.replace("{folder}", str(self.folder)))
        path.chmod(0o755)
        (self.folder / "codes").write_text("".join(f"{code}\n" for code in codes))
        return {"manactl_path": str(path)}

    def calls(self):
        return (self.folder / "calls").read_text().splitlines()

    def test_the_example_passes_ansible_lint(self):
        folder = f"{ROOT}/deploy/ansible"
        for command in ("ansible-playbook --syntax-check -i inventory.example.yml site.yml",
                        "ansible-lint --offline --nocolor --strict site.yml"):
            done = subprocess.run(command.split(), cwd=folder, env={**os.environ, "HOME": str(self.folder)},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_measures_between_two_hosts_and_restores_them(self):
        self.play()
        sent = json.loads((self.results / "sender-tx.json").read_text())
        received = json.loads((self.results / "receiver-rx.json").read_text())
        self.assertGreater(packets(sent), 0)
        self.assertGreater(packets(received), 0)
        self.assertLessEqual(packets(received), packets(sent))
        both = json.loads((self.results / "sender-receiver.json").read_text())
        self.assertTrue(both["covered"], "the receiver ran from the first packet to the last")
        self.assertEqual(both["sender"]["packets"], packets(sent))
        self.assertEqual(both["receiver"]["packets"], packets(received))
        self.assertAlmostEqual(both["loss"], 1 - packets(received) / packets(sent), places=6)
        for page, title in (("sender-tx", "tx on net_af_packet0"), ("receiver-rx", "rx on net_af_packet0")):
            self.assertIn(f"<h1>{title}", (self.results / f"{page}.html").read_text())
        self.assertEqual(pathlib.Path(POOL, "nr_hugepages").read_text(), "0\n")
        readable = [path for path in (self.results, *self.results.iterdir()) if path.stat().st_mode & 0o077]
        self.assertEqual(readable, [], "only the user who runs the playbook may read results")
        self.assertLess(received["plan"]["seconds"], 300, "the playbook stopped the receiver")
        self.assertEqual(list(self.temporary.glob("*.manactl")), [])

    def test_fails_if_more_packets_are_lost_than_allowed(self):
        # The receiver's ring holds two packets, so it cannot keep up.
        self.inventory.write_text(INVENTORY.replace("iface=veth-b", "iface=veth-b,blocksz=4096,framesz=2048,framecnt=2"))
        output, _ = self.play(rc=2, manactl_merge_arguments=["--max-loss", "0"])
        self.assertIn("manactl bench merge: exit 1 (findings)", output)
        self.assertGreater(json.loads((self.results / "sender-receiver.json").read_text())["loss"], 0)

    def test_a_receiver_without_packets_fails(self):
        # The sender's packets go to veth-b, not to veth-c.
        self.inventory.write_text(INVENTORY.replace("iface=veth-b", "iface=veth-c"))
        output, hosts = self.play(rc=2)
        self.assertIn("manactl: bench: no packet was received", output)
        self.assertEqual((hosts["receiver"]["failed"], hosts["sender"]["failed"]), (1, 0))

    def test_prepares_once_and_restores_once(self):
        pool = pathlib.Path(POOL, "nr_hugepages")
        steps = ((("--tags=prepare", "--check"), 1, 0), (("--tags=prepare",), 1, 4),
                 (("--tags=prepare",), 0, 4), (("--tags=prepare", "--check"), 0, 4),
                 (("--tags=restore", "--check", "--limit=sender"), 1, 4), (("--tags=restore", "--limit=sender"), 1, 0),
                 (("--tags=restore",), 0, 0), (("--tags=restore", "--check"), 0, 0))
        for options, changed, pages in steps:
            with self.subTest(options=options):
                _, recap = self.play(*options)
                self.assertEqual(sum(host["changed"] for host in recap.values()), changed)
                self.assertEqual(int(pool.read_text()), pages)

    def test_check_mode_does_not_measure(self):
        self.play("--check")
        self.assertFalse(self.results.exists())

    def test_a_host_without_mana_fails_the_check_unless_accepted(self):
        output, _ = self.play("--tags=check", rc=2, manactl_check_accept=[0])
        self.assertIn("manactl check: exit 3 (not possible here)", output)

    def test_installs_package_files(self):
        package = self.folder / "package"
        (package / "DEBIAN").mkdir(parents=True)
        (package / "DEBIAN/control").write_text("Package: manactl-test\nVersion: 1\nArchitecture: all\n"
                                                "Maintainer: a <a@b.example>\nDescription: test\n")
        (package / "var/lib/manactl-test").mkdir(parents=True)
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", str(package), str(self.folder)],
                       check=True, stdout=subprocess.DEVNULL)
        options = {"manactl_packages": [str(self.folder / "manactl-test_1_all.deb")]}
        output, recap = self.play("--tags=install", "--limit=sender", "--check", **options)
        self.assertIn("would install " + options["manactl_packages"][0], output)
        for changed in (1, 0):  # the second run finds the package installed
            _, recap = self.play("--tags=install", "--limit=sender", **options)
            self.assertEqual(recap["sender"]["changed"], changed)
        self.assertTrue(pathlib.Path("/var/lib/manactl-test").is_dir())

    def test_reports_a_package_that_apt_does_not_know(self):
        output, _ = self.play("--tags=install", "--limit=sender", "--check", rc=2, manactl_packages=["manactl-unknown"])
        self.assertIn("manactl-unknown", output)

    def test_check_needs_no_root(self):
        self.inventory.write_text(INVENTORY.replace("ansible_become: false", "ansible_become_exe: /bin/false"))
        self.play("--tags=check")

    def test_retries_while_the_lock_is_held(self):
        output, recap = self.play("--tags=prepare", "--limit=sender", **self.stub(5, 5, 0))
        self.assertEqual(recap["sender"]["changed"], 1)
        self.assertEqual([call.split()[0] for call in self.calls()], ["prepare", "prepare", "prepare", "confirm"])

    def test_a_prepared_host_is_unchanged(self):
        _, recap = self.play("--tags=prepare", "--limit=sender", **self.stub(8))
        self.assertEqual(recap["sender"]["changed"], 0)

    def test_a_roll_back_reports_its_cause(self):
        output, recap = self.play("--tags=prepare", "--limit=sender", rc=2, **self.stub(6))
        self.assertIn("exit 6 (failed, and rolled back completely) the VF is busy", output)
        self.assertEqual(len(self.calls()), 1)

    def test_a_failed_roll_back_reports_manual_commands(self):
        for tag in ("prepare", "restore"):
            with self.subTest(tag=tag):
                output, _ = self.play(f"--tags={tag}", "--limit=sender", rc=2, **self.stub(7))
                self.assertIn(f"manactl {tag}: exit 7", output)
                self.assertIn("echo 1 > /sys/x", output)

    def test_prepare_is_confirmed(self):
        self.play("--tags=prepare", "--limit=sender", **self.stub(0), manactl_interface="eth1",
                  manactl_prepare_arguments=["--vf-only"])
        self.assertEqual(self.calls(), ["prepare eth1 --hugepages 4 --confirm-timeout 60 --vf-only --json",
                                        "confirm eth1 --json"])

    def test_restores_only_what_it_has_prepared(self):
        for code, expected in ((8, ["prepare", "confirm"]), (0, ["prepare", "confirm", "restore"])):
            with self.subTest(code=code):
                self.play("--tags=prepare,restore", "--limit=sender", **self.stub(code, 0), manactl_interface="eth1")
                self.assertEqual([call.split()[0] for call in self.calls()], expected)
                (self.folder / "calls").unlink()

    def test_a_failed_measurement_restores_the_hosts_and_fails(self):
        pool = pathlib.Path(POOL, "nr_hugepages")
        output, _ = self.play(rc=2, manactl_bench_tx_arguments=["--queues", "65"])
        self.assertIn("manactl bench: exit 2 (wrong usage", output)
        self.assertEqual(int(pool.read_text()), 0)
        self.assertEqual(os.listdir("/var/lib/manactl/journal"), [])
        self.assertEqual(list(self.temporary.glob("*.manactl")), [])

    def test_a_failed_receiver_prevents_the_measurement(self):
        output, _ = self.play(rc=2, manactl_bench_rx_arguments=["--queues", "65"], manactl_bench_start_timeout=10)
        self.assertIn("manactl bench: exit 2 (wrong usage", output)
        self.assertIn("not measured, because the receiver receiver is not ready", output)
        self.assertFalse(self.results.exists())
        self.assertEqual(list(self.temporary.glob("*.manactl")), [])

    def test_a_receiver_that_is_late_is_waited_for(self):
        slow, running, beside = (self.folder / name for name in ("slow", "running", "beside"))
        slow.write_text(f"""\
#!/bin/sh
[ "$1" != restore ] || [ ! -e {running} ] || touch {beside}
[ "$1" = bench ] || exec {MANACTL} "$@"
touch {running}
sleep 10
{MANACTL} "$@"
code=$?
rm {running}
exit $code
""")
        slow.chmod(0o755)
        output, _ = self.play(rc=2, manactl_path=str(slow), manactl_bench_start_timeout=1)
        self.assertIn("the receiver was not ready within 1 s (manactl_bench_start_timeout); manactl bench: exit", output)
        self.assertFalse(beside.exists(), "restore ran beside bench")

    def test_a_sender_without_its_receiver_does_not_measure(self):
        output, _ = self.play("--limit=sender", rc=2)
        self.assertIn("not measured, because the receiver receiver is not ready", output)
        self.assertFalse(self.results.exists())


def packets(result):
    return result["total"]["packets"]


if __name__ == "__main__":
    enter_namespaces()
    unittest.main(argv=sys.argv[:1], verbosity=2)
