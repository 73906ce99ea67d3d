# SPDX-License-Identifier: MIT
"""Entries of a bundle or captured tree that try to leave it: traversal, absolute names, devices, hard links, link loops."""
import io
import json
import os
import pathlib
import shutil
import tarfile

from attack import HEALTHY, Attack, main

SECRET = "secret-of-root"
COMMANDS = (("check", "--json"), ("doctor",))


def entry(name, kind=tarfile.REGTYPE, target="", content=b""):
    """An entry of a tar archive. Its name and target are written as they are."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, target, len(content)
    info.devmajor, info.devminor = 1, 3
    return info, io.BytesIO(content)


class Bundle(Attack):
    def setUp(self):
        super().setUp()
        self.bundle = self.folder / "bundle.tar.gz"
        self.outside = self.folder / "outside"
        self.outside.mkdir()
        self.secret = self.outside / "os-release"
        self.secret.write_text(f"ID={SECRET}\n")

    def pack(self, *entries):
        """A bundle of a healthy VM. The entries come first, and replace entries of the same names."""
        names = {info.name for info, _ in entries}
        with tarfile.open(self.bundle, "w:gz", format=tarfile.PAX_FORMAT) as archive:
            for info, content in entries:
                archive.addfile(info, content)
            for path in sorted(HEALTHY.rglob("*")):
                name = str(path.relative_to(HEALTHY))
                if not {name, *map(str, pathlib.PurePath(name).parents)} & names:
                    archive.add(path, name, recursive=False)

    def read(self, root=None):
        """Returns the outcomes of the commands that read the bundle or tree, from a directory that holds a secret."""
        return [self.run_manactl(*command, "--root", root or self.bundle, preexec=lambda: os.chdir(self.outside)) for command in COMMANDS]

    def assert_nothing_escaped(self, outcomes):
        self.assertEqual([*self.outside.iterdir()], [self.secret])
        for outcome in outcomes:
            self.assertNotIn(SECRET, outcome.out + outcome.err)

    def assert_distribution(self, expected, outcomes):
        """Checks the ID of etc/os-release, and that the rest of the bundle was read."""
        for outcome in outcomes:
            self.assertIn(outcome.code, (0, 1), outcome)
        host = json.loads(outcomes[0].out)["host"]
        self.assertEqual(host["kernel"]["distribution"], expected or None)
        self.assertEqual(host["functions"][0]["address"], "7870:00:00.0")

    def test_names_and_types_that_a_bundle_never_has_are_refused(self):
        up, target, content = "../" * 40, str(self.outside / "new"), b"ID=forged"
        leads_out, is_absolute, is_strange = "leads out of it", "an absolute name", "is not a file, link or directory"
        cases = {
            "traversal": (entry("../outside/new", content=content), leads_out),
            "traversal in the middle": (entry("sys/../../outside/new", content=content), leads_out),
            "traversal at the end": (entry("sys/..", tarfile.DIRTYPE), leads_out),
            "traversal that stays inside": (entry("sys/../etc/os-release", content=content), leads_out),
            "long traversal": (entry(up + target, content=content), leads_out),
            "traversal of a link": (entry("../outside/new", tarfile.SYMTYPE, "/"), leads_out),
            "absolute": (entry(target, content=content), is_absolute),
            "two slashes": (entry("/" + target, content=content), is_absolute),
            "absolute directory": (entry(target, tarfile.DIRTYPE), is_absolute),
            "character device": (entry("etc/os-release", tarfile.CHRTYPE), is_strange),
            "block device": (entry("etc/os-release", tarfile.BLKTYPE), is_strange),
            "named pipe": (entry("etc/os-release", tarfile.FIFOTYPE), is_strange),
            "hard link": (entry("etc/os-release", tarfile.LNKTYPE, "proc/mounts"), is_strange),
            "hard link to an absolute name": (entry("etc/os-release", tarfile.LNKTYPE, str(self.secret)), is_strange),
            "hard link by traversal": (entry("etc/os-release", tarfile.LNKTYPE, "../outside/os-release"), is_strange),
        }
        for name, (attack, message) in cases.items():
            with self.subTest(name):
                self.pack(attack)
                outcomes = self.read()
                for outcome in outcomes:
                    self.assert_exit(2, outcome)
                    self.assert_one_line(outcome)
                    self.assertIn(message, outcome.err)
                self.assert_nothing_escaped(outcomes)

    def links(self):
        """Links to the secret by name of the case, and what etc/os-release inside then contains; "" for loops and missing files."""
        absolute = str(self.secret)
        return {
            "no link": ({"etc/os-release": None}, "own"),
            "absolute": ({"etc/os-release": absolute}, "inside"),
            "slashes": ({"etc/os-release": "/../.." + "//" + absolute}, "inside"),
            "traversal": ({"etc/os-release": "../" * 40 + absolute[1:]}, "inside"),
            "beside the tree": ({"etc/os-release": "../../outside/os-release"}, "inside"),
            "directory": ({"etc": str(self.outside)}, "inside"),
            "directory beside the tree": ({"etc": "../outside"}, "inside"),
            "chain": ({"etc/os-release": "a", "etc/a": "../b", "b": absolute}, "inside"),
            "through /proc": ({"etc/os-release": "/proc/self/root" + absolute}, ""),
            "working directory": ({"etc/os-release": "/proc/self/cwd/os-release"}, ""),
            "loop": ({"etc/os-release": "os-release"}, ""),
            "loop of two": ({"etc/os-release": "a", "etc/a": "os-release"}, ""),
            "loop of directories": ({"etc": "../etc"}, ""),
            "link to itself with a name": ({"etc": "etc/etc/etc"}, ""),
        }

    def test_links_stay_in_the_bundle(self):
        self.assert_links_stay_inside(self.bundle, lambda files, links: self.pack(
            *[entry(name, content=content) for name, content in files.items()],
            *[entry(name, tarfile.SYMTYPE, target) for name, target in links.items()]))

    def test_links_stay_in_the_captured_tree(self):
        tree = self.folder / "tree"

        def make(files, links):
            shutil.rmtree(tree, ignore_errors=True)
            shutil.copytree(HEALTHY, tree, symlinks=True)
            for name in (*files, *links):
                shutil.rmtree(tree / name) if (tree / name).is_dir() else (tree / name).unlink(missing_ok=True)
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
            for name, content in files.items():
                (tree / name).write_bytes(content)
            for name, target in links.items():
                (tree / name).symlink_to(target)

        self.assert_links_stay_inside(tree, make)

    def assert_links_stay_inside(self, root, make):
        """The tree or bundle has its own files at the paths of the secret, so that a link that is followed inside it is noticed."""
        inside = dict.fromkeys((str(self.secret)[1:], "outside/os-release"), b"ID=inside\n")
        for name, (links, expected) in self.links().items():
            with self.subTest(name):
                own = {path: b"ID=own\n" for path, target in links.items() if target is None}
                make(inside | own, {path: target for path, target in links.items() if target})
                outcomes = self.read(root)
                self.assert_distribution(expected, outcomes)
                self.assert_nothing_escaped(outcomes)

    def test_entries_below_links_and_files_write_nothing_outside(self):
        self.pack(entry("etc", tarfile.SYMTYPE, str(self.outside)), entry("etc/new", content=b"x"),
                  entry("proc/file", content=b"x"), entry("proc/file/below", content=b"x"))
        outcomes = self.read()
        for outcome in outcomes:
            self.assertIn(outcome.code, (0, 1, 2), outcome)
        self.assert_nothing_escaped(outcomes)


if __name__ == "__main__":
    main()
