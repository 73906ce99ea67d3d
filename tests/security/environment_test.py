# SPDX-License-Identifier: MIT
"""Variables of the environment: what manactl reads, what it ignores, and what it passes on to other programs."""
import json
import os
import pathlib
import shutil
import subprocess
import textwrap

from attack import HEALTHY, MANACTL, NOBODY, Attack, main, run

RESULTS = pathlib.Path("/var/lib/manactl/results")
BENCH = ("bench", "--vdev", "net_null0", "--no-huge", "--duration", "20ms", "--interval", "20ms")
PROGRAMS = ("sh", "bash", "modprobe", "insmod", "systemctl", "systemd-run", "systemd-tmpfiles", "udevadm", "nmcli", "networkctl", "ip", "ethtool",
            "lspci", "dmesg", "journalctl", "dpkg", "rpm", "gzip", "tar", "manactl", "sleep", "true", "env")
# libraries that manactl loads at first use, and those that libibverbs and DPDK load
LIBRARIES = ("libarchive.so.13", "libkmod.so.2", "libibverbs.so.1", "libmana.so.1", "libevil-rdmav34.so", "librte_evil.so", "libfmt.so.9")
MARKER = "MARKER_OF_ATTACK"


class Environment(Attack):
    def setUp(self):
        super().setUp()
        self.evil = self.folder / "evil"
        self.evil.mkdir()
        self.marker = self.folder / "marker"

    def compile(self, source, name):
        library = self.evil / name
        (self.folder / "source.c").write_text(textwrap.dedent(source))
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, self.folder / "source.c", "-ldl"], check=True)
        return library

    def commands(self):
        """Commands that run programs, load libraries or read files, if any does."""
        (self.folder / "bundle.tar.gz").unlink(missing_ok=True)
        return [("check", "--root", HEALTHY), ("check",), ("status",),
                ("doctor", "--root", HEALTHY, "--bundle", self.folder / "bundle.tar.gz"), BENCH,
                ("bench", "--sim", "--duration", "20ms", "--no-save"), ("prepare", "--dry-run", "lo"), ("restore", "--all"),
                ("sim", "--", MANACTL, "doctor", "--probe", "sim0")]

    def test_programs_and_libraries_of_the_working_directory_and_the_path_are_not_used(self):
        for name in PROGRAMS:
            path = self.evil / name
            path.write_text(f"#!/bin/bash\necho {name} >>{self.marker}\n")
            path.chmod(0o755)
        library = self.compile(f"""
            #include <stdio.h>
            __attribute__((constructor)) static void load(void) {{ FILE *f = fopen("{self.marker}", "a"); if (f) fputs("library\\n", f); }}
            """, "library.so")
        for name in LIBRARIES:
            shutil.copy(library, self.evil / name)
        variables = {"PATH": f"{self.evil}:.", "IBV_DRIVERS": str(self.evil / "libevil"), "RDMAV_DRIVERS": str(self.evil / "libevil"),
                     "MLX4_GLUE_PATH": str(self.evil), "MLX5_GLUE_PATH": str(self.evil), "RTE_EAL_PMD_PATH": str(self.evil),
                     "BASH_ENV": str(self.evil / "sh"), "ENV": str(self.evil / "sh")}
        for command in self.commands():
            with self.subTest(command):
                outcome = self.run_manactl(*command, env=variables, preexec=lambda: os.chdir(self.evil))
                self.assertIn(outcome.code, (0, 1, 3), outcome)
                self.assertFalse(self.marker.exists() and self.marker.read_text())
        run([self.evil / "true"])
        run(["/bin/true"], env={"LD_PRELOAD": str(library)})
        self.assertEqual(self.marker.read_text().split(), ["true", "library"])  # the traps work

    def test_a_child_that_calls_libibverbs_has_no_variables_of_rdma(self):
        """The traps of a preloaded library see the environment of the child that doctor --probe starts."""
        library = self.compile(f"""
            #define _GNU_SOURCE
            #include <stdio.h>
            #include <stdlib.h>
            #include <unistd.h>
            #include <sys/syscall.h>
            void _exit(int code) {{
              static const char *names[] = {{"IBV_SHOW_WARNINGS", "RDMAV_FORK_SAFE", "MLX5_SHUT_UP_BF", "VERBS_LOG_LEVEL", "MANA_X", "OTHER_X"}};
              FILE *f = fopen("{self.marker}", "a");
              for (int i = 0; f && i < 6; ++i) fprintf(f, "%s=%s\\n", names[i], getenv(names[i]) ? getenv(names[i]) : "-");
              if (f) fclose(f);
              for (;;) syscall(SYS_exit_group, code);
            }}""", "trap.so")
        variables = dict.fromkeys(("IBV_SHOW_WARNINGS", "RDMAV_FORK_SAFE", "MLX5_SHUT_UP_BF", "VERBS_LOG_LEVEL", "MANA_X", "OTHER_X"), "1")
        outcome = self.run_manactl("sim", "--", MANACTL, "doctor", "--probe", "sim0", env={**variables, "LD_PRELOAD": str(library)})
        self.assert_exit(0, outcome)
        seen = set(self.marker.read_text().split())
        self.assertIn("OTHER_X=1", seen)
        for name in list(variables)[:-1]:
            self.assertIn(f"{name}=-", seen)

    def test_hostile_values_change_nothing(self):
        names = ["LANG", "LC_MESSAGES", "TERM", "COLUMNS", "LINES", "HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS",
                 "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "TMPDIR", "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "LOGS_DIRECTORY", "CONFIGURATION_DIRECTORY",
                 "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "RTE_SDK", "RTE_TARGET", "RTE_LOG_LEVEL", "DPDK_PLUGIN_PATH", "IBV_CONFIG_DIR",
                 "MLX5_CQE_SIZE", "SYSFS_PATH", "KMOD_DIR", "MODPROBE_OPTIONS", "TAPE", "LOCPATH", "NLSPATH", "GCONV_PATH", "TZ", "TZDIR", "SHELL",
                 "EDITOR", "PAGER", "LESSOPEN", "IFS", "UDEV_LOG", "SSH_CONNECTION", "SUDO_USER", "USER", "LOGNAME"]
        values = ["", "\x1b]0;title\x07", "A" * 20000, "../../../../etc", "%n%n%s", str(self.evil / "none"), "-1", "99999999999999999999"]
        for command in (("check", "--root", HEALTHY, "--json"), ("doctor", "--root", HEALTHY), ("status",), ("--version",), ("bench", "list")):
            expected = self.run_manactl(*command)
            for value in values:
                with self.subTest(f"{command} {value[:20]}"):
                    outcome = self.run_manactl(*command, env={**dict.fromkeys(names, value), "LC_ALL": "C.UTF-8"})
                    self.assertEqual((outcome.code, outcome.out, outcome.err), (expected.code, expected.out, expected.err))

    def test_directories_in_variables_get_no_files(self):
        names = ("HOME", "TMPDIR", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "RUNTIME_DIRECTORY", "STATE_DIRECTORY")
        os.chown(self.evil, NOBODY, NOBODY)
        shutil.rmtree(RESULTS, ignore_errors=True)
        for command in self.commands():
            with self.subTest(command):
                outcome = self.run_manactl(*command, env=dict.fromkeys(names, str(self.evil)))
                self.assertIn(outcome.code, (0, 1, 3), outcome)
                self.assertEqual([*self.evil.iterdir()], [])
        self.assertEqual(len([*RESULTS.iterdir()]), 1)  # root's results are where they always are

    def test_a_user_does_not_write_results_into_a_directory_of_another_user(self):
        home = self.folder / "home"
        home.mkdir(mode=0o700)
        os.chown(home, NOBODY, NOBODY)
        other = self.folder / "other"
        other.mkdir()
        os.chown(other, NOBODY - 1, NOBODY - 1)
        other.chmod(0o777)
        (home / "link").symlink_to(other)
        os.chown(home / "link", NOBODY - 1, NOBODY - 1, follow_symlinks=False)
        program = self.folder / "manactl"
        shutil.copy(MANACTL, program)
        for place, saved in ((home, True), (other, False), (home / "link", False)):
            with self.subTest(place):
                outcome = run([program, *BENCH], user=NOBODY, env={"XDG_STATE_HOME": str(place), "HOME": str(place)})
                files = [*place.rglob("*.json")]
                self.assertEqual(len(files), int(saved), outcome)
                self.assertEqual("cannot" in outcome.err, not saved, outcome)
                for file in files:
                    self.assertEqual(oct(file.stat().st_mode & 0o7777), oct(0o600))
                    file.unlink()

    def test_sim_keeps_the_environment_of_its_program(self):
        """The program gets the variables of the caller; those of the adapter replace them."""
        variables = {MARKER: "kept", "LD_LIBRARY_PATH": "/nonexistent", "SYSFS_PCI_DEVICES": "/evil", "MANACTL_SIM_SETUP": "root=/evil"}
        outcome = self.run_manactl("sim", "--", "env", "-0", env=variables)
        self.assert_exit(0, outcome)
        given = [entry.partition("=") for entry in outcome.out.split("\0") if entry]
        found = {name: value for name, _, value in given}
        self.assertEqual(len(found), len(given), "a variable occurs twice")
        self.assertEqual((found[MARKER], found["LD_LIBRARY_PATH"]), ("kept", "/nonexistent"))
        self.assertNotIn("evil", json.dumps(found))
        self.assertTrue(found["LD_PRELOAD"].endswith("libmanactl-sim.so"), found)


if __name__ == "__main__":
    main()
