#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scrub_test.py MANACTL: searches all bytes of scrubbed bundles for secrets, in every spelling that a log may contain."""
import gzip
import ipaddress
import json
import os
import pty
import random
import re
import shutil
import tarfile

from attack import HEALTHY, MANACTL, ROOT, Attack, main

FIXTURES = ROOT / "tests/fixtures"
MAC, OTHER_MAC = "000d3a763bd0", "6045bdc0ffee"
IPV4 = ["10.0.0.4", "20.51.37.9", "172.16.44.5"]
IPV6 = ["fe80::1", "fe80::20d:3aff:fe76:3bd0", "2603:1030:800:5::bfee:a418"]
HOST, DOMAIN, USER, SUDOER = "webserver07", "corp.contoso.example", "alicewonder", "bobbuilder"
ACCOUNT, SHARE, CIFS_USER, WORKGROUP, EXPORT = "contosostore", "payrollshare", "svcpayroll", "CONTOSODOM", "nfsbox9"
VAULT, GROUP, RESOURCE = "contosovault", "payrollgroup", "payrollvm"
SUBSCRIPTION, MACHINE_ID = "4c1a2b3c-55aa-4e1f-9c0d-7788990011aa", "9f86d081884c4d659a2feaa0c55ad015"
PASSWORD, TOKEN, WIREGUARD = "Tr0ub4dor-3", "tok_live_12ab34cd", "kJ8vN2xQ7LmR4tYw9ZbC3dFgH6sPaE1uT5iOoXyVn0A="
NAMES = [HOST, DOMAIN, USER, SUDOER, ACCOUNT, SHARE, CIFS_USER, WORKGROUP, EXPORT, VAULT, GROUP, RESOURCE, SUBSCRIPTION, MACHINE_ID, PASSWORD, TOKEN, WIREGUARD]


def octets(digits):
    return [digits[at:at + 2] for at in range(0, len(digits), 2)]


def eui(digits, flip):
    first = int(digits[:2], 16) ^ (2 if flip else 0)
    return f"{first:02x}{digits[2:6]}fffe{digits[6:]}"


def groups(digits, short=False):
    parts = [digits[at:at + 4] for at in range(0, len(digits), 4)]
    return ":".join(part.lstrip("0") or "0" for part in parts) if short else ":".join(parts)


def mac_spellings(digits):
    """The ways to write a MAC address."""
    parts = octets(digits)
    spellings = [separator.join(parts) for separator in (":", "-", "_", ".", " ", "", "%3A", ", 0x", "\\x")]
    spellings += [".".join(digits[at:at + 4] for at in range(0, 12, 4)), groups(digits), f"0x{int(digits, 16):x}",
                  "".join(reversed(parts)), ":".join(f"{int(part, 16):x}" for part in parts)]
    for flip in (True, False):
        long = eui(digits, flip)
        spellings += [long, groups(long), groups(long, short=True), ":".join(octets(long)), "-".join(octets(long))]
    spellings.append(f"{digits[:8]}-{digits[8:]}-{digits[:4]}-{digits[4:8]}-{digits[8:]}{digits[:8]}")
    return spellings


def in_contexts(spelling):
    """A MAC address inside longer texts."""
    return [spelling, spelling.upper(), f"mac={spelling}", f'"{spelling}"', f"[{spelling}]", f"{spelling},", f"x {spelling}/24"]


def ip_spellings(address):
    """The ways to write an IP address."""
    if ":" in address:
        parsed = ipaddress.IPv6Address(address)
        forms = [address, parsed.exploded, address.upper()]
        digits = f"{int(parsed):032x}"
        swapped = "".join("".join(reversed(octets(digits[at:at + 8]))) for at in range(0, 32, 8))
        return [text for form in forms for text in (
            form, f"[{form}]:22", f"{form}%eth0", f"{form}/64", f"{form}.546", f"{form}.546:", f"addr:{form}", f"({form})")
        ] + [digits, swapped.upper()]
    number = int(ipaddress.IPv4Address(address))
    dashes = address.replace(".", "-")
    return [address, f"{address}/24", f"{address}:22", f"{address}.22", f"{address}.22:", f"{address}.50122 >", f"::ffff:{address}",
            f"inet {address} ", f"src={address},", f"x[{address}]", f"ip-{dashes}", f"{number:08X}:0016", f"0x{number:08x}",
            ".".join(f"{int(part):03d}" for part in address.split(".")), f"wait...{address}"]


def secrets():
    """The patterns that must not be in a scrubbed bundle, in lower case."""
    found = {}
    for digits in (MAC, OTHER_MAC):
        for spelling in mac_spellings(digits):
            found[spelling.lower()] = f"MAC address {digits}"
    for address in IPV4 + IPV6:
        for spelling in ip_spellings(address):
            bare = re.sub(r"^(addr:|inet |src=|wait\.\.\.|ip-|x\[|\[|\(|::ffff:|0x)", "", spelling.lower())
            bare = re.sub(r"(%eth0|/\d+|\]:22|[\])]|\.(22|546|50122)( >|:)?|:22|:0016|,| )+$", "", bare)
            found[bare] = f"address {address}"
    for name in NAMES:
        found[name.lower()] = f"name {name}"
    return found


def leaks(data, patterns):
    text = data.lower()
    searched = text + b"\n" + text.replace(b"\0", b"")
    result = []
    for pattern, what in patterns.items():
        # Most patterns are in no file, and a search without re finds that out faster.
        if pattern.encode() not in searched:
            continue
        for match in re.finditer(re.escape(pattern.encode()), searched):
            # "20.51.37.9" is not in "120.51.37.90", and fe80::1 is not in fe80::1f.
            before, after = searched[max(0, match.start() - 1):match.start()], searched[match.end():match.end() + 1]
            address = what.startswith("address")
            if address and ((before + after).strip(b" ").isalnum() and re.search(rb"[0-9a-f]", before + after)):
                continue
            result.append(f"{what} as '{pattern}': ...{searched[max(0, match.start() - 40):match.end() + 40]!r}")
            break
    return result


MOUNTS = f"""proc /proc proc rw 0 0
hugetlbfs /dev/hugepages hugetlbfs rw,relatime,pagesize=2M 0 0
//{ACCOUNT}.file.core.windows.net/{SHARE} /home/{USER}/{SHARE} cifs rw,vers=3.1.1,username={CIFS_USER},domain={WORKGROUP},uid=1000,addr=20.51.37.9 0 0
{EXPORT}.{DOMAIN}:/export/{USER} /mnt/{SHARE} nfs4 rw,clientaddr=10.0.0.4,addr=172.16.44.5 0 0
/dev/sda1 /home/{USER}/disk ext4 rw 0 0
"""
NETWORK = f"""# on {HOST.upper()} by {USER}
[Match]
MACAddress=00-0D-3A-76-3B-D0
Driver=mana
[Link]
Unmanaged=yes
[Network]
DHCP=yes
Domains={DOMAIN}
[DHCPv4]
Hostname={HOST}
"""
PASSWD = f"root:x:0:0:root:/root:/bin/bash\n{USER}:x:1000:1000:Alice W.,,,:/home/{USER}:/bin/bash\n"


def log_lines():
    """A log with every spelling, and with lines of programs that write names."""
    lines = [f"Nov 21 10:00:00 {HOST} kernel: [UFW BLOCK] IN=eth0 OUT= MAC=00:0d:3a:76:3b:d0:60:45:bd:c0:ff:ee:08:00 SRC=20.51.37.9",
             f"2024-11-21T10:00:01.123456+00:00 {HOST.upper()} sshd[7]: Accepted publickey for {USER} from 172.16.44.5 port 50122 ssh2",
             f"Nov 21 10:00:02 {HOST} sudo:   {SUDOER} : TTY=pts/0 ; PWD=/home/{SUDOER} ; USER=root ; COMMAND=/usr/bin/id",
             f"Nov 21 10:00:02 {HOST} sshd[8]: pam_unix(sshd:session): session opened for user {SUDOER.upper()}(uid=1001) by (uid=0)",
             "DHCPREQUEST client id 01:00:0d:3a:76:3b:d0, DUID 00:01:00:01:2a:3b:4c:5d:00:0d:3a:76:3b:d0",
             f"CIFS: Attempting to mount //{ACCOUNT}.file.core.windows.net/{SHARE}, username={CIFS_USER},domain={WORKGROUP}",
             f"nfs: server {EXPORT}.{DOMAIN} not responding, still trying; {HOST}.{DOMAIN.upper()} is {HOST.upper()}",
             "IP 10.0.0.4.22 > 20.51.37.9.50122: Flags [P.], and IP6 fe80::1.546 > ff02::1:2.547: dhcp6 solicit",
             "\x1b[31m10.0.0.4\x1b[0m \x1b[1m000D3A763BD0\x1b[0m 10.0.\x1b[7m0.4\x1b[0m node_guid 020d:3aff:fe76:3bd0 enx000d3a763bd0",
             f"prompt {USER}@{HOST}:~$ ls /home/{USER}/.ssh", f"[{SUDOER}@{HOST} ~]$ tool --password {PASSWORD}",
             f"Thu 2024-11-21 10:00:03 UTC {HOST} app[3]: Authorization: Bearer {TOKEN}", f"PrivateKey = {WIREGUARD}",
             f"the same words again: {PASSWORD} {TOKEN} {WIREGUARD} {VAULT} {GROUP} {RESOURCE} {SUBSCRIPTION} {MACHINE_ID}",
             f"https://{VAULT}.vault.azure.net/ of /subscriptions/{SUBSCRIPTION}/resourceGroups/{GROUP}/providers/Microsoft.Compute/virtualMachines/{RESOURCE}",
             f"-- Boot {MACHINE_ID} --", "-----BEGIN PRIVATE KEY-----", WIREGUARD * 2, "-----END PRIVATE KEY-----", "JSON {\"a\":\"\\n10.0.0.4\\t20.51.37.9\\u001b[31m172.16.44.5\"}"]
    for digits in (MAC, OTHER_MAC):
        for spelling in mac_spellings(digits):
            lines += [f"mac {text} end" for text in in_contexts(spelling)]
    for address in IPV4 + IPV6:
        lines += [f"ip {text} end" for text in ip_spellings(address)]
    return lines


class Scrub(Attack):
    def tree(self):
        """A captured machine that has the secrets in every file that manactl may read."""
        tree = self.folder / "tree"
        shutil.copytree(HEALTHY, tree, symlinks=True)
        self.write(tree, "proc/mounts", MOUNTS)
        self.write(tree, "proc/sys/kernel/hostname", HOST + "\n")
        self.write(tree, "proc/cmdline", f"root=/dev/sda1 nfsroot=10.0.0.4 hostname={HOST} modprobe.blacklist=floppy\n")
        self.write(tree, "etc/passwd", PASSWD)
        self.write(tree, "etc/hosts", f"127.0.0.1 localhost\n10.0.0.4 {HOST}.{DOMAIN} {HOST}\n172.16.44.5 {EXPORT}\n")
        self.write(tree, "etc/resolv.conf", f"search {DOMAIN}\nnameserver 10.0.0.4\n")
        self.write(tree, "etc/os-release", f'ID=debian\nPRETTY_NAME="{HOST} by {USER}"\n')
        self.write(tree, f"etc/systemd/network/10-{HOST}.network", NETWORK)
        self.write(tree, "etc/modprobe.d/local.conf", f"# {USER}\nblacklist floppy\ninstall pcspkr /home/{USER}/run\n")
        self.write(tree, "run/NetworkManager/devices/2", f"managed=true\nname={HOST}\n")
        self.write(tree, "etc/NetworkManager/conf.d/9.conf", f"# {USER}\n[keyfile]\nunmanaged-devices=mac:00:0d:3a:76:3b:d0\n")
        self.write(tree, "run/udev/data/n2", f"E:ID_NET_NAME_MAC=enx{MAC}\nE:NM_UNMANAGED=0\nE:OWNER={USER}\n")
        for name in ("chassis_asset_tag",):
            self.write(tree, f"sys/devices/virtual/dmi/id/{name}", f"{HOST}\n")
        for stat in tree.glob("proc/[0-9]*/stat"):
            stat.write_text(stat.read_text().replace("(sshd)", f"(sshd-{USER})").replace("(bash)", f"({SUDOER})"))
        shutil.copyfile(HEALTHY / "sys/kernel/btf/vmlinux", tree / "sys/kernel/btf/ib_core")
        return tree

    @staticmethod
    def write(tree, name, text):
        path = tree / name
        path = path.resolve() if path.exists() else path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def bundle(self, tree, *logs, name="scrubbed"):
        """The path of a scrubbed bundle of a tree."""
        path = self.folder / f"{name}.tar.gz"
        path.unlink(missing_ok=True)
        options = [option for log in logs for option in ("--log", log)]
        outcome = self.run_manactl("doctor", "--root", tree, "--bundle", path, "--scrub", *options)
        self.assertIn(outcome.code, (0, 1, 3), outcome)
        return path

    def assert_clean(self, bundle, patterns):
        found = []
        with tarfile.open(bundle) as archive:
            for member in archive:
                data = archive.extractfile(member).read() if member.isfile() else b""
                for text in (member.name.encode(), member.linkname.encode(), data):
                    found += [f"{member.name}: {leak}" for leak in leaks(text, patterns)]
        raw = gzip.decompress(bundle.read_bytes())
        self.assertFalse(found, "\n" + "\n".join(found[:20]))
        self.assertNotIn(HOST.encode(), raw)

    def test_a_tree_and_its_logs_contain_no_secret(self):
        log = self.folder / f"{HOST}-10.0.0.4-00:0d:3a:76:3b:d0.log"
        log.write_text("\n".join(log_lines()) + "\n")
        self.assert_clean(self.bundle(self.tree(), log), secrets())

    def test_json_files_contain_no_known_name(self):
        """A user whose name is in paths and messages that doctor reports."""
        tree = self.tree()
        (tree / "manactl/verbs.json").write_text(json.dumps({"providers": [{"device": "mana_0", "library": f"/home/{USER}/{HOST}/libmana.so"}]}))
        self.assert_clean(self.bundle(tree), {USER: f"name {USER}", HOST: f"name {HOST}"})

    def test_a_terminal_is_asked_before_a_reviewed_bundle_is_written(self):
        bundle = self.folder / "reviewed.tar.gz"
        command = [MANACTL, "doctor", "--root", str(HEALTHY), "--bundle", str(bundle), "--scrub", "--review"]
        for answer, written in (("n", False), ("", False), ("y", True)):
            with self.subTest(answer):
                process, terminal = pty.fork()
                if process == 0:
                    os.execv(command[0], command)
                text = b""
                while b"[y/N]" not in text:
                    text += os.read(terminal, 65536)
                self.assertFalse(bundle.exists())
                os.write(terminal, f"{answer}\n".encode())
                try:
                    while os.read(terminal, 65536):
                        pass
                except OSError:  # the terminal is closed when the program ends
                    pass
                self.assertIn(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), (0, 1))
                os.close(terminal)
                self.assertEqual(bundle.exists(), written)

    def test_a_pager_is_not_disturbed_by_a_question(self):
        """Standard output is a pipe; standard input and standard error are a terminal."""
        bundle, pages = self.folder / "reviewed.tar.gz", self.folder / "pages"
        command = f"{MANACTL} doctor --root {HEALTHY} --bundle {bundle} --scrub --review > {pages}"
        process, terminal = pty.fork()
        if process == 0:
            os.execv("/bin/sh", ["sh", "-c", command])
        text = b""
        try:
            while part := os.read(terminal, 65536):
                text += part
                self.assertNotIn(b"[y/N]", text)
        except OSError:  # the terminal is closed when the program ends
            pass
        self.assertIn(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), (0, 1))
        os.close(terminal)
        self.assertIn(b"was not written", text)
        self.assertFalse(bundle.exists())

    def test_of_a_process_only_its_parent_is_kept(self):
        with tarfile.open(self.bundle(self.tree())) as archive:
            stats = {member.name: archive.extractfile(member).read().decode() for member in archive
                     if re.fullmatch(r"proc/\d+/stat", member.name)}
        self.assertTrue(stats)
        for name, text in stats.items():
            self.assertRegex(text, r"^\d+ \((sshd|program)\) S \d+\n$", name)

    def test_a_nul_byte_hides_nothing(self):
        text = "\n".join(log_lines())
        for number, data in enumerate((b"\0" + text.encode(), text.encode().replace(b"\n", b"\0"), text.encode("utf-16-le"),
                                       text.encode() + b"\nbinary " + bytes(range(256)) * 4 + b" 10.0.0.4\n")):
            log = self.folder / f"{number}.log"
            log.write_bytes(data)
            with self.subTest(number):
                self.assert_clean(self.bundle(self.tree_once(), log), secrets())

    def tree_once(self):
        tree = self.folder / "tree"
        return tree if tree.exists() else self.tree()

    def test_addresses_are_found_in_every_spelling_at_random(self):
        tree = self.tree()
        for seed in range(10):
            random.seed(seed)
            digits = random.choice((MAC, "00155d" + f"{random.getrandbits(24):06x}"))
            address = random.choice((f"10.{random.randrange(256)}.{random.randrange(256)}.{random.randrange(1, 255)}",
                                     f"52.{random.randrange(256)}.{random.randrange(256)}.{random.randrange(1, 255)}"))
            spellings = mac_spellings(digits)
            lines = [f"link/ether {':'.join(octets(digits))} brd ff:ff:ff:ff:ff:ff", f"inet {address}/16 scope global"]
            for _ in range(400):
                text = random.choice(in_contexts(random.choice(spellings)) + ip_spellings(address))
                lines.append(random.choice(("", "eth0: ", "\x1b[1m", "a=", "(", "\t")) + text + random.choice(("", " ", ")", "\0", ";")))
            log = self.folder / "random.log"
            log.write_bytes("\n".join(lines).encode())
            patterns = {spelling.lower(): f"MAC address {digits}" for spelling in spellings}
            patterns |= {address: f"address {address}", address.replace(".", "-"): f"address {address}"}
            with self.subTest(seed):
                self.assert_clean(self.bundle(tree, log), patterns)

    def test_a_cut_log_contains_no_part_of_an_address(self):
        line = f"eth0: {':'.join(octets(MAC))} is at 20.51.37.9 for {HOST}\n"
        log = self.folder / "long.log"
        log.write_text(line * (9 * 2**20 // len(line)))
        bundle = self.bundle(self.tree(), log)
        with tarfile.open(bundle) as archive:
            data = archive.extractfile("logs/1-long.log").read().decode()
        self.assertIn("bytes omitted]", data)
        for one in data.splitlines():
            self.assertRegex(one, r"^(eth0: 02:00:00:00:00:\d\d is at 198\.18\.\d+\.\d+ for host\d|\[\d+ bytes omitted\]|)$")

    def test_a_scrubbed_bundle_gives_the_same_findings(self):
        for fixture in sorted(path for path in FIXTURES.iterdir() if path.is_dir()):
            with self.subTest(fixture.name):
                bundle = self.bundle(fixture, name=fixture.name)
                for command in ("check", "doctor"):
                    raw, scrubbed = (self.findings(command, root) for root in (fixture, bundle))
                    self.assertEqual(raw, scrubbed)

    def test_a_long_kernel_log_needs_little_memory(self):
        tree, bundle = self.tree(), self.folder / "long.tar.gz"
        for data, kept in ((b"\n", b"\n"), (b"\x1b", b""), (b"\0---", b"---"), (b"word ", b"word ")):
            count = (16 << 20) // len(data)
            (tree / "manactl/kernel.log").write_bytes(data * count)
            bundle.unlink(missing_ok=True)
            with self.subTest(data):
                outcome = self.run_manactl("doctor", "--root", tree, "--bundle", bundle, "--scrub")
                self.assertIn(outcome.code, (0, 1), outcome)
                self.assert_small(outcome, divisor=4)  # the limit is 64 MiB
                with tarfile.open(bundle) as archive:
                    log = archive.extractfile("manactl/kernel.log").read()
                self.assertIn(len(kept * count) - len(log), (0, 1))  # a newline at the end may be missing
                self.assertTrue((kept * count).startswith(log))
                bundle.unlink()

    def test_the_nic_of_remote_storage_is_still_found(self):
        """The storage is in the network of the second NIC; the default route leads to the first."""
        tree = self.tree()
        self.write(tree, "proc/mounts", MOUNTS.replace("20.51.37.9", "10.0.1.7"))
        raw, scrubbed = (self.findings("check", root) for root in (tree, self.bundle(tree)))
        self.assertEqual(raw, scrubbed)
        self.assertIn("cifs mount", str(raw))

    def findings(self, command, root):
        """The result of a command without addresses and names."""
        outcome = self.run_manactl(command, "--root", root, "--json", "-v")
        self.assertIn(outcome.code, (0, 1, 3), outcome)  # 3: no MANA
        text = json.dumps(json.loads(outcome.out), indent=1)
        for pattern, word in ((r"(?<![0-9a-z])([0-9a-f]{2}:){5}[0-9a-f]{2}", "MAC"), (r"\b\d+\.\d+\.\d+\.\d+(/\d+)?\b", "IP"),
                              (r"\b(fe80|2001:db8|fd00):[0-9a-f:]+(/\d+)?", "IP"),
                              (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "ID"), (r"mount at \S+", "mount at PATH"),
                              (r"is '[^']*'", "is TAG"), (re.escape(str(root)), "ROOT")):
            text = re.sub(pattern, word, text)
        return text


if __name__ == "__main__":
    main()
