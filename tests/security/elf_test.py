# SPDX-License-Identifier: MIT
"""The program and the preloaded library have the protections of cmake/ManactlHardening.cmake. Reads their ELF files.

Usage: elf_test.py MANACTL. Any build of manactl will do, such as that of the preset release, and an installed one.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MANACTL = pathlib.Path(sys.argv[1]).resolve()
IS_INSTALLED = MANACTL.parent.name == "bin"
LIBRARY = MANACTL.parents[1 if IS_INSTALLED else 2] / "lib/manactl/libmanactl-sim.so"
UNSAFE = ["-O2", "-U_FORTIFY_SOURCE", "-fno-stack-protector", "-fno-pie", "-no-pie", "-Wl,-z,norelro", "-Wl,-z,lazy",
          "-Wl,-z,execstack", "-Wl,-z,noseparate-code", "-Wl,-rpath,/tmp"]
VICTIM = """
#include <string.h>
#include <stdio.h>
int main(int count, char** words) { char text[20]; strcpy(text, words[count - 1]); return puts(text); }
"""
# GCC extends a frame of more than a page with "sub $0x1000,%rsp; orq $0x0,(%rsp)".
PROBE = b"\x48\x83\x0c\x24\x00"


class Elf:
    """What readelf prints of a file."""

    def __init__(self, file):
        self.text = subprocess.run(["readelf", "-W", "-h", "-l", "-d", "-n", "--dyn-syms", file], check=True,
                                   capture_output=True, text=True).stdout
        # Each with offset, size in the file, and access.
        rows = re.findall(r"^  ([A-Z_]+) +(0x\S+) 0x\S+ 0x\S+ (0x\S+) 0x\S+ ([RWE ]{3}) ", self.text, re.M)
        self.segments = [(kind, int(offset, 16), int(size, 16), access.replace(" ", "")) for kind, offset, size, access in rows]
        self.dynamic = dict(re.findall(r"\((\w+)\) +(.*)", self.text))
        self.imports = set(re.findall(r" UND (\w+)", self.text))
        self.whole = pathlib.Path(file).read_bytes()
        self.code = b"".join(self.whole[offset:offset + size] for kind, offset, size, access in self.segments
                             if kind == "LOAD" and "E" in access)

    def access(self, kind):
        return [access for name, _, _, access in self.segments if name == kind]


def missing(elf, is_program):
    """The names of the protections that a file does not have."""
    flags = f"{elf.dynamic.get('FLAGS', '')} {elf.dynamic.get('FLAGS_1', '')}".split()
    protections = {
        "position independent": "PIE" in flags if is_program else "DYN (Shared object file)" in elf.text,
        "read-only relocations": bool(elf.access("GNU_RELRO")),
        "bound at start": "BIND_NOW" in flags or "NOW" in flags,
        "stack is not executable": elf.access("GNU_STACK") == ["RW"],
        "no segment is writable and executable": "RWE" not in elf.access("LOAD"),
        "code is separate": elf.access("LOAD")[0] == "R",
        "no relocation of code": "TEXTREL" not in elf.dynamic and "TEXTREL" not in flags,
        "no search path": not {"RPATH", "RUNPATH"} & set(elf.dynamic),
        "stack protector": "__stack_chk_fail" in elf.imports,
        "checked functions of libc": any(re.fullmatch(r"__(read|readlink|memcpy|strcpy|\w*printf)_chk", name) for name in elf.imports),
        # A static libstdc++ contains the text of the message.
        "checked containers": any("__glibcxx_assert_fail" in name for name in elf.imports) or b"Assertion '%s' failed" in elf.whole,
    }
    if "X86-64" in elf.text:
        protections["shadow stack"] = "SHSTK" in elf.text
        if is_program:  # the library has no large frame
            protections["probed stack"] = PROBE in elf.code
    return [name for name, good in protections.items() if not good]


class Hardening(unittest.TestCase):
    def test_the_program_is_hardened(self):
        self.assertEqual(missing(Elf(MANACTL), is_program=True), [])

    def test_the_preloaded_library_is_hardened(self):
        if not LIBRARY.exists():  # libibverbs-dev is older than 44
            self.assertFalse(b"manadv_set_context_attr" in MANACTL.read_bytes(), f"build {LIBRARY}, too")
            return
        self.assertEqual(missing(Elf(LIBRARY), is_program=False), [])

    def test_finds_each_missing_protection(self):
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder, "victim.c"), pathlib.Path(folder, "victim")
            source.write_text(VICTIM)
            subprocess.run(["cc", *UNSAFE, source, "-o", program], check=True, capture_output=True)
            found = missing(Elf(program), is_program=True)
        # This program lacks all protections of missing() but two: no compiler makes relocations of code here, and only some
        # linkers make segments that are both writable and executable.
        expected = {"position independent", "read-only relocations", "bound at start", "stack is not executable",
                    "code is separate", "no search path", "stack protector", "checked functions of libc",
                    "checked containers"}
        if "X86-64" in Elf(MANACTL).text:
            expected |= {"shadow stack", "probed stack"}
        self.assertEqual(expected - set(found), set())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
