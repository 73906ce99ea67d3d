# SPDX-License-Identifier: MIT
"""Names that an attacker chose must not run as commands when the victim presses TAB and Enter in a shell."""
import concurrent.futures
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import stat
import struct
import termios
import time

import attack

PROMPT = "ready> "
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source {0}/manactl.bash; PS1='ready> '"),
    "zsh": (["zsh", "-f", "-i"], "fpath=({0} $fpath); autoload -U compinit; compinit -u -D; PS1='ready> '"),
    "fish": (["fish", "--no-config", "-i"], "source {0}/manactl.fish; function fish_prompt; printf 'ready> '; end"),
}
# Each runs "touch ran" if a shell interprets it. A name has no '/', because it is the name of a file.
HOSTILE = ["eth0;touch ran;#", "eth0;touch${IFS}ran;#", "$(touch ran)", "`touch ran`", "e\ntouch ran\n", "e\ttouch", "e&touch ran&",
           "e|touch ran|e", "'e;touch ran;'", '"e;touch ran;"', "e'$(touch ran)'", 'e"$(touch ran)"', "e\\;touch ran",
           "e>ran", "(touch ran)", "{touch,ran}", "=touch", "-rf", "--root=ran", ":files", "~root", "*", "\x03touch ran\r", "\x1b[201~\rtouch ran\r"]
CONTROLS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[=>]|\x1b[]P].*?(\x07|\x1b\\)|[\r\x0f]|\x1b\([A-Z]")
WAIT = 60  # seconds; reached only if a shell hangs
SILENCE = 3  # seconds without output, after which a shell is taken to wait for the end of a quote


class Shell:
    """An interactive shell on a pseudo terminal."""

    def __init__(self, name, folder, path):
        command, setup = SHELLS[name]
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, {"PATH": f"{path}:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(path),
                                             "MANACTL_RESULTS": str(folder / "results"), "TERM": "xterm", "LC_ALL": "C.UTF-8"})
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 250, 0, 0))
        self.type(setup.format(attack.ROOT / "completions") + "\n", "ready>", interrupts=False)

    def type(self, keys, echoed, interrupts=True):
        """Types and reads the output until, after `echoed`, the shell waits at a prompt."""
        os.write(self.terminal, keys.encode())
        text, plain, start, last = "", "", time.monotonic(), time.monotonic()
        while time.monotonic() < start + WAIT:
            if select.select([self.terminal], [], [], 0.05)[0]:
                text += os.read(self.terminal, 65536).decode(errors="replace")
                plain, last = CONTROLS.sub("", text), time.monotonic()
            elif echoed in plain and plain.endswith(PROMPT):
                return plain
            elif interrupts and time.monotonic() > last + SILENCE:
                os.write(self.terminal, b"\x03")  # leaves an open quote
                last = time.monotonic()
        raise AssertionError(f"the shell does not answer to {keys!r}: {text!r}")

    def press_tab_and_enter(self, line):
        # Further TABs choose from a menu. The first Enter may only close it.
        return self.type(f"{line}\t\t\t\n\n", line)

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


class Completion(attack.Attack):
    def setUp(self):
        super().setUp()
        self.tools = self.folder / "tools"
        self.tools.mkdir()
        (self.tools / "manactl").symlink_to(attack.MANACTL)
        self.work = self.folder / "work"
        self.work.mkdir()

    def tree(self, names, number=0):
        """A captured machine whose NICs have interfaces of these names, at most four."""
        root = self.work / f"tree{number}"
        shutil.copytree(attack.ROOT / "tests/fixtures/healthy-two-nics", root, symlinks=True)
        files = [root / "manactl" / file for file in ("links.json", "ethtool.json")]
        for old, new in zip(("eth1", "enP30832p0s0d1", "eth0", "enP30832p0s0"), names):
            interface = root / "sys/class/net" / old
            device = interface.resolve()
            device.rename(device.with_name(new))
            (root / "sys/class/net" / new).symlink_to(os.path.dirname(os.readlink(interface)) + "/" + new)
            interface.unlink()
            for file in files:
                file.write_text(file.read_text().replace(json.dumps(old), json.dumps(new)))
        return root

    def drive(self, shell, lines):
        """Types lines with TAB and Enter. Yields those that ran a command."""
        opened = Shell(shell, self.work, self.tools)
        try:
            for line in lines:
                seen = opened.press_tab_and_enter(line)
                if (self.work / "ran").exists():
                    yield f"{shell}: {line!r} ran a command: {seen}"
                    (self.work / "ran").unlink(missing_ok=True)
        finally:
            opened.close()

    def drive_all(self, lines):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            self.assertEqual([], sum(pool.map(lambda shell: list(self.drive(shell, lines)), SHELLS), []))

    def test_a_plain_name_is_completed(self):
        """Otherwise the other tests would prove nothing."""
        root = self.tree(["enP30832s1d1"])
        for name in SHELLS:
            shell = Shell(name, self.work, self.tools)
            self.addCleanup(shell.close)
            seen = shell.press_tab_and_enter(f"manactl check --root {root} enP")
            self.assertIn("enP30832s1d1", seen, name)

    def test_names_of_interfaces_in_a_bundle(self):
        """A shell inserts the only candidate, or, in a menu, one of several."""
        lines = [f"manactl check --root {self.tree([name], number)} " for number, name in enumerate(HOSTILE)]
        for start in range(0, len(HOSTILE), 4):
            lines.append(f"manactl check --root {self.tree(HOSTILE[start:start + 4], f'From{start}')} ")
        lines.append(f"manactl check --root {self.work}/tree0 eth")
        self.drive_all(lines)

    def test_a_program_that_is_not_in_path_is_not_run(self):
        program = self.folder / "evil/manactl"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\n[ "$1" != __complete ] || touch {self.work}/ran\n')
        program.chmod(0o755)
        self.drive_all([f"{program} d", f"{program} check --"])

    def test_candidates_of_a_hostile_program(self):
        """The scripts quote, even if the program prints what it should not."""
        program = self.tools / "manactl"
        program.unlink()
        lines = []
        for number, name in enumerate(word for word in HOSTILE if not re.search(r"[\x00-\x1f]|^-|^:", word)):
            (self.folder / str(number)).write_text(name + "\n")
            (self.folder / f"d{number}").write_text(f"first\t{name}\nsecond\t{name}\n")
            lines += [f"manactl {number} ", f"manactl d{number} "]
        program.write_text(f'#!/bin/sh\n[ "$1" = __complete ] && exec cat "{self.folder}/$3"\n')
        program.chmod(stat.S_IRWXU)
        self.drive_all(lines)

    def test_names_of_results_and_files(self):
        results = self.work / "results"
        results.mkdir(mode=0o700)
        for number, name in enumerate(HOSTILE):
            (results / f"20261121-134702-{name}.json").write_text("{}")
            (self.work / f"f{number}{name}").write_text("")
            (self.work / f"d{number}{name}").mkdir()
        lines = ["manactl bench show ", "manactl bench show 2026", "manactl bench list --results "]
        commands = ("bench show f", "doctor --log f", "check --root d", "check --root=d")
        lines += [f"manactl {commands[number % len(commands)]}{number}" for number in range(len(HOSTILE))]
        self.drive_all(lines)

    def test_labels_of_results(self):
        """A shell shows labels as descriptions and never inserts them."""
        results = self.work / "results"
        results.mkdir(mode=0o700)
        result = json.loads((attack.ROOT / "tests/bench/tx.json").read_text())
        for start in range(0, len(HOSTILE), 8):
            for number, label in enumerate(HOSTILE[start:start + 8]):
                file = results / f"20261121-13470{number}-3f2a.json"
                file.write_text(json.dumps(result | {"label": label}))
            offered = self.run_manactl("__complete", "--", "bench", "show", "--results", results, "").out
            self.assertGreaterEqual(offered.count(": tx on"), 4, offered)
            self.drive_all(["manactl bench show ", "manactl bench show 2026"])

    def test_no_candidate_and_no_description_has_special_characters(self):
        roots = [self.tree([name, "good0"], number) for number, name in enumerate(HOSTILE)]
        completions = [["check", "--root", root, ""] for root in roots]
        for words in completions:
            outcome = self.run_manactl("__complete", "--", *words)
            self.assert_exit(0, outcome)
            self.assertIn("good0\t", outcome.out)
            self.assertNotRegex(outcome.out, r"(?m)^[-:]")
        for words in (*completions, ["--"], ["check", "--"], ["bench", "--mode", ""], ["check", "--only", ""]):
            for line in self.run_manactl("__complete", "--", *words).out.splitlines():
                self.assertRegex(line, r"\A[A-Za-z0-9_.,:=@+-]+(\t[^\x00-\x1f\x7f]*)?\Z")


if __name__ == "__main__":
    attack.main()
