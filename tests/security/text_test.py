# SPDX-License-Identifier: MIT
"""Text of others on terminals: escapes and characters that change the direction of text, in captured systems, logs and arguments."""
import json
import resource
import shutil

from attack import EVIL, HEALTHY, ROOT, SHOWN, Attack, changed, main, paths_in


class Text(Attack):
    def captured(self):
        tree = self.folder / "tree"
        shutil.copytree(HEALTHY, tree, symlinks=True)
        return tree

    def test_every_field_of_a_captured_system(self):
        """A field takes the text and a command shows it or not, or the tree cannot be used."""
        tree = self.captured()
        accepted = shown = 0
        for file in sorted((tree / "manactl").iterdir()):
            original = file.read_text()
            document = json.loads(original)
            for path in paths_in(document, str):
                file.write_text(json.dumps(changed(document, [path], EVIL)))
                for command in (("check", "-v"), ("check", "-v", "--json"), ("status",)):
                    with self.subTest(f"{file.name} {path}", command=command):
                        outcome = self.run_manactl("--root", tree, *command)
                        self.assert_plain(outcome)
                        self.assertIn(outcome.code, (0, 1, 2, 3), outcome)
                        if outcome.code == 2:
                            self.assert_one_line(outcome)
                        accepted += outcome.code != 2
                        shown += outcome.code != 2 and SHOWN in outcome.out
            file.write_text(original)
        self.assertGreater(accepted, 100)
        self.assertGreater(shown, 8)

    def test_every_text_of_a_captured_system_in_json(self):
        tree = self.captured()
        for name in ("etc/os-release", "proc/mounts", "sys/devices/virtual/dmi/id/chassis_asset_tag"):
            file = tree / name
            self.assertTrue(file.exists(), name)
            file.write_text(EVIL.replace("\r", "") + "\nID=" + EVIL)
        for command in (("check",), ("check", "--json"), ("doctor",), ("doctor", "--json"), ("status", "--json")):
            outcome = self.run_manactl("--root", tree, *command)
            self.assert_exit(0, outcome)
            self.assertEqual(SHOWN in outcome.out, command[0] == "check", outcome)
            self.assert_plain(outcome)

    def test_logs(self):
        log = self.folder / "log"
        log.write_text(f"EAL: Error {EVIL.strip()} - failed\nmana_probe(): cannot {EVIL.strip()}\n")
        for options in (("--json",), ("-v",)):  # these print the lines of the log
            outcome = self.run_manactl("doctor", "--log", log, *options)
            self.assertIn("failed", outcome.out)
            self.assert_plain(outcome)

    def test_arguments_and_file_names(self):
        for words in (("bench", "show", EVIL), ("check", EVIL), ("decode", EVIL, "00"), ("--root", EVIL, "check"), (EVIL,),
                      ("doctor", "--log", EVIL), ("check", "--" + EVIL), ("--root", EVIL + "/x", "doctor")):
            outcome = self.run_manactl(*words)
            self.assertNotEqual(outcome.code, 0)
            self.assert_one_line(outcome)
            self.assert_plain(outcome)

    def test_a_stack_of_64_kib_is_enough(self):
        tree = self.captured()
        chain = json.loads((tree / "manactl/links.json").read_text())
        for i in range(1000, 3000):
            chain["links"].append({**chain["links"][0], "index": i, "name": f"v{i}", "kind": "vlan", "lower": i + 1})
        deep = self.folder / "deep.json"
        deep.write_text("[" * 60 + "]" * 60)
        log = self.folder / "log"
        log.write_text("EAL: Error - " + "x" * 100000 + " failed\n")
        for words in (("--version",), ("--help",), ("check", "--root", tree), ("doctor", "--root", tree, "--log", log),
                      ("status", "--root", tree), ("bench", "show", ROOT / "tests/bench/tx.json", "-o", "html"),
                      ("bench", "show", deep), ("decode", "--list"), ("doctor", "--log", log),
                      ("doctor", "--root", tree, "--bundle", self.folder / "bundle.tar.gz", "--scrub"),
                      ("doctor", "--root", self.folder / "bundle.tar.gz"), ("prepare", "--dry-run", "--root", tree)):
            outcome = self.run_manactl(*words, limits=[(resource.RLIMIT_STACK, 64 << 10)])
            self.assertIn(outcome.code, range(0, 8), (words, outcome))
        (tree / "manactl/links.json").write_text(json.dumps(chain))
        outcome = self.run_manactl("check", "--root", tree, limits=[(resource.RLIMIT_STACK, 64 << 10)])
        self.assertIn(outcome.code, range(0, 8), outcome)


if __name__ == "__main__":
    main()
