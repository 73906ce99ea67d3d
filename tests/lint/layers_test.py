#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""layers_test.py ROOT | --self-test: the layers of docs/architecture.md, held by includes and links."""
import pathlib
import re
import sys
import tempfile

# A room of src/, and the other rooms that it may include and link.
ROOMS = {
    "base": [],
    "wire": ["base"],
    "os": ["base"],
    "host": ["base", "os"],
    "diag": ["base", "host"],
    "setup": ["base", "os", "host"],
    "datapath": ["base"],
    "datapath/dpdk": ["base", "datapath"],
    "datapath/verbs": ["base", "wire", "datapath"],
    "adapter": ["base", "wire"],
    "adapter/shim": ["base", "wire", "adapter"],
    "cli": ["base", "wire", "adapter", "os", "host", "diag", "setup", "datapath", "cli/bench"],
    "cli/bench": ["base", "adapter", "host", "diag", "setup", "datapath", "cli"],
}
# Where only some headers of a room may be seen. Links cannot be so fine.
ONLY = {
    ("cli", "os"): ["os/system.h", "os/dry_run.h"],
    ("cli", "adapter"): ["adapter/launch.h", "adapter/checker.h"],
    ("cli", "cli/bench"): ["cli/bench/kept.h", "cli/bench/target.h"],
    ("cli/bench", "adapter"): ["adapter/launch.h", "adapter/checker.h"],
}
# The datapath is linked with its engines, which it includes nothing of.
LINKS_TOO = {"datapath": ["datapath/dpdk", "datapath/verbs"]}

# Rooms that nobody includes, made of the handles of libibverbs.
HANDLES = ["datapath/verbs", "adapter/shim"]

# Headers, the targets that give them, the rooms that may use both, and those whose headers may, too.
LIBRARIES = [
    (r"fmt/|tl/expected", r"fmt::|tl::", list(ROOMS), list(ROOMS)),
    (r"CLI/", r"CLI11::", ["cli", "cli/bench"], []),
    (r"nlohmann/", r"nlohmann_json::", ["base", "cli", "cli/bench", "diag", "host", "setup"], []),
    (r"archive(_entry)?\.h", r"PkgConfig::ARCHIVE", ["host"], []),
    (r"re2/", r"PkgConfig::RE2", ["diag"], []),
    (r"netlink/", r"PkgConfig::NL", ["os"], []),
    (r"libudev\.h", r"PkgConfig::UDEV", ["os"], []),
    (r"libkmod\.h|bpf/", r"PkgConfig::(KMOD|BPF)", ["os"], []),
    (r"linux/perf_event\.h", r"^$", ["datapath/dpdk"], []),  # a worker counts its own instructions
    (r"linux/if_tun\.h", r"^$", ["adapter"], []),  # the adapter's cable to this machine
    (r"linux/|rdma/", r"^$", ["os"], []),  # the kernel's own
    (r"infiniband/verbs", r"PkgConfig::IBVERBS", ["os", "datapath/verbs", "adapter/shim"], HANDLES),
    (r"infiniband/", r"PkgConfig::MANA", ["datapath/verbs", "adapter/shim"], HANDLES),
    # Its loops are templates around DPDK's inline functions; no other room sees these headers.
    (r"rte_", r"manactl_dpdk|PkgConfig::DPDK", ["datapath/dpdk"], ["datapath/dpdk"]),
]
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)')
TARGET = re.compile(r"\bmanactl_([a-z_]+)|\b(\w+::[\w.]+)")
CMAKE = {"module", "test", "embed", "warnings", "dpdk"}  # functions and targets that are no rooms


def lines(file):
    return enumerate(file.read_text().splitlines(), 1)


def library(column, name, room, is_header):
    for row in LIBRARIES:
        if re.match(row[column], name):
            if room not in row[2]:
                return f"{name} is for {', '.join(row[2])}"
            return f"{name} is for sources, not for headers" if is_header and room not in row[3] else None
    return None


def include(file, room, kind, name):
    if kind == "<":
        return library(0, name, room, file.suffix == ".h")
    other = str(pathlib.PurePath(name).parent)
    if other not in ROOMS:
        return f'"{name}" is not below a room of src/'
    if other != room and other not in ROOMS[room]:
        return f"{room} may not include {other}"
    only = ONLY.get((room, other), [name])
    return None if name in only else f"{room} may include of {other} only {', '.join(only)}"


def link(room, ours, theirs):
    other = re.sub(r"^(datapath|adapter)_", r"\1/", ours or "")
    if theirs or other in CMAKE:
        return library(1, theirs or f"manactl_{ours}", room, False)
    good = other == room or other in ROOMS[room] + LINKS_TOO.get(room, [])
    return None if good else f"{room} may not link {other}"


def broken(src):
    """Every line that breaks the table, as "file:line: rule"."""
    for file in sorted(src.rglob("*")):
        room = str(file.parent.relative_to(src))
        if file.suffix in (".h", ".cpp") and room not in ROOMS:
            yield f"{file}:1: {room} is no room of the table"
        elif file.suffix in (".h", ".cpp"):
            for number, line in lines(file):
                found = INCLUDE.match(line)
                rule = include(file, room, *found.groups()) if found else None
                if rule:
                    yield f"{file}:{number}: {rule}"
        elif file.name == "CMakeLists.txt" and room in ROOMS:
            for number, line in lines(file):
                for found in TARGET.finditer(line.split("#")[0]):
                    rule = link(room, *found.groups())
                    if rule:
                        yield f"{file}:{number}: {rule}"


WRONG = {  # path and text of a file, and how many lines of it are wrong
    "base/a.h": ('#include "base/b.h"\n#include <fmt/format.h>\n#include "os/files.h"\n', 1),
    "os/a.h": ("#include <libudev.h>\n#include <string>\n", 1),
    "os/a.cpp": ("#include <libudev.h>\n#include <nlohmann/json.hpp>\n", 1),
    "diag/a.cpp": ('#include "os/files.h"\n#include "setup/step.h"\n#include "host/facts.h"\n', 2),
    "datapath/a.cpp": ('#include "datapath/dpdk/port.h"\n#include <rte_eal.h>\n', 2),
    "datapath/a.h": ("#include <rte_mbuf.h>\n#include <linux/perf_event.h>\n", 2),
    "datapath/dpdk/a.h": ("#include <rte_mbuf.h>\n#include <linux/if.h>\n", 1),
    "cli/a.cpp": ('#include "os/system.h"\n#include "os/files.h"\n#include <rte_eal.h>\n', 2),
    "cli/b.cpp": ('#include "screen.h"\n#include "cli/bench/kept.h"\n#include "cli/bench/run.h"\n', 2),
    "cli/bench/a.cpp": ('#include "os/system.h"\n#include "cli/screen.h"\n#include <CLI/CLI.hpp>\n', 1),
    "adapter/a.h": ("#include <infiniband/verbs.h>\n", 1),
    "adapter/shim/a.h": ('#include <infiniband/verbs.h>\n#include "adapter/port.h"\n#include "os/files.h"\n', 1),
    "shed/a.cpp": ("", 1),
    "diag/CMakeLists.txt": ("manactl_module(diag LINKS manactl_host\n  manactl_os CLI11::CLI11)\n", 2),
    "datapath/CMakeLists.txt": ("manactl_module(datapath LINKS manactl_datapath_dpdk manactl_cli)", 1),
    "cli/CMakeLists.txt": ("target_link_libraries(manactl PRIVATE manactl_warnings manactl_dpdk)", 1),
}


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        src = pathlib.Path(folder)
        for name, (text, _) in WRONG.items():
            (src / name).parent.mkdir(parents=True, exist_ok=True)
            (src / name).write_text(text)
        found = list(broken(src))
        for name, (_, count) in WRONG.items():
            here = [line for line in found if line.startswith(f"{src / name}:")]
            if len(here) != count:
                sys.exit(f"{name}: {count} wrong lines, found: {here}")


if sys.argv[1] == "--self-test":
    self_test()
else:
    rules = [line.replace(f"{sys.argv[1]}/", "") for line in broken(pathlib.Path(sys.argv[1], "src"))]
    print("\n".join(rules) or "every include and link keeps to its layer")
    sys.exit(1 if rules else 0)
