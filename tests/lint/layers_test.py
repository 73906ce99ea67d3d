#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""layers_test.py ROOT | --self-test: checks includes and links against the layers of docs/architecture.md."""
import pathlib
import re
import sys
import tempfile

ARCHITECTURE = pathlib.Path(__file__).resolve().parents[2] / "docs/architecture.md"


def table():
    """The modules of the table in docs/architecture.md, and the modules that each may include and link."""
    rows = re.findall(r"^\| `([a-z/]+)` \|[^|]*\| ([^|]+?) \|", ARCHITECTURE.read_text(), re.M)
    modules = {name: [] if names == "-" else names.split(", ") for name, names in rows if name != "cli"}
    unknown = {other for names in modules.values() for other in names} - set(modules)
    if len(modules) < 10 or unknown:
        sys.exit(f"{ARCHITECTURE}: the table of modules cannot be read: {', '.join(unknown) or 'rows are missing'}")
    return modules


# The table in the document restricts cli as one module; this test also restricts each folder of cli.
MODULES = table() | {
    "cli": ["base", "wire", "adapter", "os", "host", "diag", "setup", "datapath", "report", "cli/bench"],
    "cli/check": ["base", "host", "diag", "cli"],
    "cli/decode": ["base", "wire", "cli"],
    "cli/doctor": ["base", "host", "diag", "setup", "datapath", "cli", "cli/bench"],
    "cli/live": ["base", "host", "diag", "setup", "report", "cli"],
    "cli/setup": ["base", "os", "host", "setup", "cli", "cli/live"],
    "cli/sim": ["base", "adapter", "cli"],
    "cli/bench": ["base", "adapter", "host", "diag", "setup", "datapath", "report", "report/html", "cli", "cli/sim"],
}
# Key: (including module, included module); value: the only headers that may be included. Links are not restricted.
ONLY = {
    ("cli", "os"): ["os/sandbox.h", "os/system.h"],
    ("cli/live", "report"): ["report/units.h"],
    ("cli/setup", "cli/live"): ["cli/live/traffic_view.h"],
    ("cli/setup", "os"): ["os/dry_run.h"],
    ("device", "os"): ["os/sandbox.h"],
    ("cli", "adapter"): ["adapter/launch/launch.h", "adapter/check/checker.h", "adapter/check/known_defects.h", "adapter/fault_plan.h"],
    ("cli", "cli/bench"): ["cli/bench/saved_results.h"],
    ("cli/doctor", "cli/bench"): ["cli/bench/target.h"],
    ("cli/bench", "adapter"): ["adapter/launch/launch.h", "adapter/check/checker.h"],
    ("cli/bench", "cli/sim"): ["cli/sim/render_sim.h"],
    ("cli/sim", "adapter"): ["adapter/launch/launch.h", "adapter/check/checker.h", "adapter/check/known_defects.h", "adapter/fault_plan.h"],
}
# Modules that may be linked but not included: the engines of datapath, and the HTML pages of report.
LINKS_TOO = {"datapath": ["datapath/"], "cli": ["report/html"]}  # manactl_datapath_${name}

# Modules whose headers may use the types of libibverbs, because no other module includes these headers.
HANDLES = ["datapath/verbs", "adapter/shim"]

# cli and its sub-folders are one library.
CLI = [module for module in MODULES if module.split("/")[0] == "cli"]

# Patterns of headers and of the targets that provide them, the modules that may use both, and the modules
# whose own headers may include them.
LIBRARIES = [
    (r"fmt/|tl/expected", r"fmt::|tl::", list(MODULES), list(MODULES)),
    (r"CLI/", r"CLI11::", CLI, []),
    (r"nlohmann/", r"nlohmann_json::", ["base", *CLI, "host", "report", "setup"], []),
    (r"archive(_entry)?\.h", r"PkgConfig::ARCHIVE", ["host"], []),
    (r"curl/", r"PkgConfig::CURL", ["host"], []),
    (r"re2/", r"manactl::re2", ["diag"], []),
    (r"netlink/", r"PkgConfig::NL", ["os"], []),
    (r"libudev\.h", r"PkgConfig::UDEV", ["os"], []),
    (r"libkmod\.h|bpf/", r"PkgConfig::(KMOD|BPF)", ["os"], []),
    (r"linux/perf_event\.h", r"^$", ["datapath/dpdk"], []),  # workers count their instructions
    (r"linux/if_tun\.h", r"^$", ["adapter"], []),  # backend tap
    (r"linux/|rdma/", r"^$", ["os"], []),  # kernel headers
    (r"infiniband/verbs", r"PkgConfig::IBVERBS", ["os", "datapath/verbs", "adapter/shim"], HANDLES),
    (r"infiniband/", r"PkgConfig::MANA", ["datapath/verbs", "adapter/shim"], HANDLES),
    # Headers of datapath/dpdk call inline functions of DPDK; no other module includes these headers.
    (r"rte_", r"manactl_dpdk|PkgConfig::DPDK", ["datapath/dpdk"], ["datapath/dpdk"]),
]
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)')
TARGET = re.compile(r"\bmanactl_([a-z_]+)|\b(\w+::[\w.]+)")
CMAKE = {"module", "engine_without_library", "test", "embed", "warnings", "dpdk"}  # not modules


def lines(file):
    return enumerate(file.read_text().splitlines(), 1)


def module_of(folder):
    """The module of a folder: a folder that is not in the table belongs to the module above it."""
    for path in [pathlib.PurePath(folder), *pathlib.PurePath(folder).parents]:
        if str(path) in MODULES:
            return str(path)
    return None


def library(column, name, module, is_header):
    for row in LIBRARIES:
        if re.match(row[column], name):
            if module not in row[2]:
                return f"{name} is for {', '.join(row[2])}"
            return f"{name} is for sources, not for headers" if is_header and module not in row[3] else None
    return None


def include(file, module, kind, name):
    if kind == "<":
        return library(0, name, module, file.suffix == ".h")
    other = module_of(pathlib.PurePath(name).parent)
    if other is None:
        return f'"{name}" is not in a module of src/'
    if other != module and other not in MODULES[module]:
        return f"{module} may not include {other}"
    only = ONLY.get((module, other), [name])
    return None if name in only else f"{module} may include of {other} only {', '.join(only)}"


def link(module, ours, theirs):
    other = re.sub(r"^(datapath|adapter|report)_", r"\1/", ours or "")
    if theirs or other in CMAKE:
        return library(1, theirs or f"manactl_{ours}", module, False)
    part = other.startswith(f"{module}_")  # a second library of the same module
    good = other == module or part or other in MODULES[module] + LINKS_TOO.get(module, [])
    return None if good else f"{module} may not link {other}"


def violations(src):
    """Yields every line that violates the table, as "file:line: rule"."""
    for file in sorted(src.rglob("*")):
        module = module_of(file.parent.relative_to(src))
        if file.suffix in (".h", ".cpp") and module is None:
            yield f"{file}:1: {file.parent.relative_to(src)} is not in the table of modules"
        elif file.suffix in (".h", ".cpp"):
            for number, line in lines(file):
                found = INCLUDE.match(line)
                rule = include(file, module, *found.groups()) if found else None
                if rule:
                    yield f"{file}:{number}: {rule}"
        elif file.name == "CMakeLists.txt" and module in MODULES:
            for number, line in lines(file):
                for found in TARGET.finditer(line.split("#")[0]):
                    rule = link(module, *found.groups())
                    if rule:
                        yield f"{file}:{number}: {rule}"


WRONG = {  # path and text of a file, and the number of wrong lines
    "base/a.h": ('#include "base/b.h"\n#include <fmt/format.h>\n#include "os/files.h"\n', 1),
    "os/a.h": ("#include <libudev.h>\n#include <string>\n", 1),
    "os/a.cpp": ("#include <libudev.h>\n#include <nlohmann/json.hpp>\n", 1),
    "diag/a.cpp": ('#include "os/files.h"\n#include "setup/step.h"\n#include "host/facts.h"\n', 2),
    "datapath/a.cpp": ('#include "datapath/dpdk/port.h"\n#include <rte_eal.h>\n', 2),
    "datapath/plan/a.h": ('#include "datapath/traffic/a.h"\n#include "datapath/dpdk/port.h"\n#include "os/files.h"\n', 2),
    "datapath/a.h": ("#include <rte_mbuf.h>\n#include <linux/perf_event.h>\n", 2),
    "datapath/dpdk/a.h": ("#include <rte_mbuf.h>\n#include <linux/if.h>\n", 1),
    "cli/a.cpp": ('#include "os/system.h"\n#include "os/files.h"\n#include <rte_eal.h>\n', 2),
    "cli/b.cpp": ('#include "screen.h"\n#include "cli/bench/saved_results.h"\n#include "cli/check/render_check.h"\n#include "cli/bench/run.h"\n', 3),
    "cli/check/a.cpp": ('#include "cli/options.h"\n#include "cli/setup/render_setup.h"\n#include "diag/runner.h"\n', 1),
    "cli/bench/a.cpp": ('#include "os/system.h"\n#include "cli/screen.h"\n#include <CLI/CLI.hpp>\n', 1),
    "adapter/a.h": ("#include <infiniband/verbs.h>\n", 1),
    "adapter/shim/a.h": ('#include <infiniband/verbs.h>\n#include "adapter/port.h"\n#include "os/files.h"\n', 1),
    "adapter/net/a.h": ('#include "adapter/link/a.h"\n#include "os/files.h"\n#include "adapter/shim/a.h"\n', 2),
    "shed/a.cpp": ("", 1),
    "diag/CMakeLists.txt": ("manactl_module(diag LINKS manactl_host\n  manactl_os CLI11::CLI11)\n", 2),
    "host/CMakeLists.txt": ("manactl_module(host LINKS manactl_os\n  PRIVATE_LINKS manactl::re2)\n", 1),
    "datapath/CMakeLists.txt": ("manactl_module(datapath LINKS manactl_datapath_${name} manactl_datapath_dpdk manactl_cli)", 2),
    "cli/CMakeLists.txt": ("target_link_libraries(manactl PRIVATE manactl_warnings manactl_dpdk)", 1),
}


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        src = pathlib.Path(folder)
        for name, (text, _) in WRONG.items():
            (src / name).parent.mkdir(parents=True, exist_ok=True)
            (src / name).write_text(text)
        found = list(violations(src))
        for name, (_, count) in WRONG.items():
            here = [line for line in found if line.startswith(f"{src / name}:")]
            if len(here) != count:
                sys.exit(f"{name}: {count} wrong lines, found: {here}")


if sys.argv[1] == "--self-test":
    self_test()
else:
    rules = [line.replace(f"{sys.argv[1]}/", "") for line in violations(pathlib.Path(sys.argv[1], "src"))]
    print("\n".join(rules) or "every include and link respects the layers")
    sys.exit(1 if rules else 0)
