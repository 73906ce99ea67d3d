#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""releases.py IN OUT: turns data/releases.json into constant C++ tables (src/diag/release_table.h).

Malformed data fails the build with one line that names the entry and the field.
"""

import datetime
import json
import pathlib
import re
import sys

RELEASE = re.compile(r"\d{1,3}\.\d{1,3}(\.\d{1,3})?")
COMMIT = re.compile(r"[0-9a-f]{10,40}")
LTS_LINES = 4  # equals Fix::kLines
IMPORTANCE = ("required", "recommended", "servicing", "other")
KERNEL_IMPORTANCE = ("recommended", "other", "confidential")
CVE = re.compile(r"CVE-\d{4}-\d{4,7}")
SIZE = re.compile(r"[A-Z]+#[a-z]*(_v\d+)?")
MAX_STABLE = 8  # equals KernelFix::kMaxStable
CONDITIONS = ("always", "arm64", "large_pages", "manae", "pf", "jumbo")


class Malformed(Exception):
    pass


def check(condition, where, message):
    if not condition:
        raise Malformed(f"{where}: {message}")


def check_keys(entry, where, required, optional=()):
    check(isinstance(entry, dict), where, "must be an object")
    for key in required:
        check(key in entry, where, f"'{key}' is missing")
    for key in entry:
        check(key in (*required, *optional), where, f"unknown field '{key}'")


def text(entry, key, where):
    value = entry[key]
    check(isinstance(value, str) and value and value.isascii() and value.isprintable(), where,
          f"'{key}' must be printable ASCII text")
    return value


def word(entry, key, where, words):
    check(entry[key] in words, where, f"'{key}' must be one of {', '.join(words)}")
    return entry[key]


def flag(entry, key, where):
    check(isinstance(entry[key], bool), where, f"'{key}' must be true or false")
    return "true" if entry[key] else "false"


def release(value, where):
    check(isinstance(value, str) and RELEASE.fullmatch(value), where,
          f"{value!r} is not a release such as 24.11 or 24.11.3")
    return tuple(int(part) for part in (value + ".0").split(".")[:3])


def items(entry, key, where):
    check(isinstance(entry[key], list) and entry[key], where, f"'{key}' must be a non-empty list")
    return [(item, f"{where}.{key}[{i}]") for i, item in enumerate(entry[key])]


def literal(value):
    return json.dumps(value)


def braces(version):
    return "{" + ", ".join(map(str, version)) + "}"


def newest_releases(dpdk):
    newest = [release(value, where) for value, where in items(dpdk, "newest", "dpdk")]
    check(len(newest) == LTS_LINES and newest == sorted(newest), "dpdk.newest",
          f"must hold {LTS_LINES} releases in ascending order")
    return newest


def first_point_release(fix, where, newest, mainline):
    """Returns, as a C++ expression, the first point release of an LTS line that contains the fix."""
    line = "{}.{:02}".format(*newest)
    listed = [key for key in ("backports", "not_affected") if line in fix.get(key, ())]
    if newest[:2] >= mainline[:2]:
        check(not listed, where, f"{line} already contains the fix from mainline")
        return "0"
    check(len(listed) < 2, where, f"{line} cannot be both backported and not affected")
    if not listed:
        return "Fix::kNever"
    if listed == ["not_affected"]:
        return "0"
    first = release(fix["backports"][line], where)
    check(first[:2] == newest[:2] and 0 < first[2] <= newest[2], where,
          f"the backport to {line} must be a point release up to {line}.{newest[2]}")
    return str(first[2])


def check_commits(entry, where):
    commits = [commit for commit, _ in items(entry, "commits", where)]
    check(all(isinstance(c, str) and COMMIT.fullmatch(c) for c in commits), where,
          "'commits' must hold abbreviated commit hashes")
    return commits


def fix_row(fix, where, newest):
    check_keys(fix, where, ("driver", "change", "commits", "importance", "mainline"),
               ("only_on", "backports", "not_affected"))
    commits = check_commits(fix, where)
    lines = ["{}.{:02}".format(*r) for r in newest]
    for key, kind, name in (("backports", dict, "an object"), ("not_affected", list, "a list")):
        check(isinstance(fix.get(key, kind()), kind), where, f"'{key}' must be {name}")
        for line in fix.get(key, ()):
            check(line in lines, where, f"'{key}' names '{line}', which is not an LTS line")
    mainline = release(fix["mainline"], where)
    firsts = [first_point_release(fix, where, line, mainline) for line in newest]
    condition = word({"only_on": "always", **fix}, "only_on", where, CONDITIONS)
    return (f"    {{{literal(text(fix, 'driver', where))}, {literal(text(fix, 'change', where))},\n"
            f"     {literal(' '.join(commits))},\n"
            f"     Fix::Importance::{word(fix, 'importance', where, IMPORTANCE)}, "
            f"Fix::Condition::{condition}, {braces(mainline)}, {{{{{', '.join(firsts)}}}}}}},\n")


def milestone_rows(kernel):
    rows, previous = [], None
    for entry, where in items(kernel, "milestones", "kernel"):
        check_keys(entry, where, ("release", "sufficient", "brings", "source"))
        first = release(entry["release"], where)
        check(previous is None or first < previous, where, "must be older than the preceding milestone")
        previous = first
        text(entry, "source", where)
        rows.append(f"    {{{braces(first)}, {flag(entry, 'sufficient', where)}, "
                    f"{literal(text(entry, 'brings', where))}}},\n")
    check(previous == (0, 0, 0), "kernel.milestones", "the 'release' of the last milestone must be 0.0")
    return rows


def backport_rows(kernel):
    rows = []
    for entry, where in items(kernel, "backports", "kernel"):
        check_keys(entry, where, ("release", "first_build", "sufficient", "brings", "source"),
                   ("distribution", "suffix", "contains"))
        names = [text(entry, key, where) if key in entry else ""
                 for key in ("distribution", "suffix", "contains")]
        check(any(names), where, "needs 'distribution', 'suffix' or 'contains'")
        build = entry["first_build"]
        check(type(build) is int and build > 0, where, "'first_build' must be a positive number")
        text(entry, "source", where)
        rows.append(f"    {{{', '.join(map(literal, names))}, "
                    f"{braces(release(entry['release'], where))}, {build}, "
                    f"{flag(entry, 'sufficient', where)}, "
                    f"{literal(text(entry, 'brings', where))}}},\n")
    return rows


def kernel_fix_row(fix, where):
    check_keys(fix, where, ("driver", "change", "commits", "importance", "since", "mainline", "stable", "source"),
               ("cve",))
    text(fix, "source", where)
    cve = text({"cve": "-", **fix}, "cve", where)
    check("cve" not in fix or CVE.fullmatch(cve), where, "'cve' must be an id such as CVE-2026-23454")
    since, mainline = release(fix["since"], where), release(fix["mainline"], where)
    check(since < mainline, where, "'since' must be older than 'mainline'")
    stable = [release(value, at) for value, at in items(fix, "stable", where)]
    check(len(stable) <= MAX_STABLE, where, f"'stable' has more than {MAX_STABLE} releases")
    check(len({line[:2] for line in stable}) == len(stable), where, "'stable' names a line twice")
    for first in stable:
        check(first[:2] < mainline[:2] and first[2] > 0, where,
              "'stable' must hold point releases of lines before 'mainline'")
    commits = " ".join(check_commits(fix, where))
    return (f"    {{{literal(text(fix, 'driver', where))}, {literal(text(fix, 'change', where))},\n"
            f"     {literal(commits)}, {literal(cve if 'cve' in fix else '')},\n"
            f"     KernelFix::Importance::{word(fix, 'importance', where, KERNEL_IMPORTANCE)}, "
            f"{braces(since)}, {braces(mainline)}, {{{{{', '.join(map(braces, stable))}}}}}}},\n")


def slow_kernel_row(entry, where):
    check_keys(entry, where, ("suffix", "release", "first_build", "last_build", "effect", "source"))
    first, last = entry["first_build"], entry["last_build"]
    check(type(first) is int and type(last) is int and 0 < first <= last, where,
          "'first_build' and 'last_build' must be positive numbers in ascending order")
    return (f"    {{{literal(text(entry, 'suffix', where))}, {braces(release(entry['release'], where))}, {first}, {last},\n"
            f"     {literal(text(entry, 'effect', where))}, {literal(text(entry, 'source', where))}}},\n")


def check_changes(kernel):
    """Checks the changes of the kernel's behavior, which signatures of doctor name. They are not compiled in: the version
    of a distribution's kernel does not show which backports it contains."""
    for entry, where in items(kernel, "changes", "kernel"):
        check_keys(entry, where, ("driver", "change", "commits", "mainline", "stable", "signature", "source"))
        for key in ("driver", "change", "signature", "source"):
            text(entry, key, where)
        check_commits(entry, where)
        mainline = release(entry["mainline"], where)
        for stable, at in items(entry, "stable", where):
            check(release(stable, at)[:2] < mainline[:2], at, "must be older than the mainline release")


def series_rows(platform):
    """Returns one row for each pattern of sizes."""
    rows, patterns = [], set()
    for entry, where in items(platform, "series", "platform"):
        check_keys(entry, where, ("name", "sizes", "since"))
        check_day(entry, "since", where)
        for size, at in items(entry, "sizes", where):
            check(isinstance(size, str) and SIZE.fullmatch(size), at, f"{size!r} is not a size such as D#s_v5")
            check(size not in patterns, at, f"{size} occurs twice")
            patterns.add(size)
            rows.append(f"    {{{literal(text(entry, 'name', where))}, {literal(size)}, {literal(entry['since'])}}},\n")
    return rows


def legacy_tag(platform):
    where = "platform.legacy_tag"
    check_keys(platform["legacy_tag"], where, ("set_before", "honored_until", "source"))
    text(platform["legacy_tag"], "source", where)
    days = [check_day(platform["legacy_tag"], key, where) for key in ("set_before", "honored_until")]
    check(days == sorted(days), where, "'set_before' must not be later than 'honored_until'")
    return f"{{{literal(days[0])}, {literal(days[1])}}}"


def provider_release(rdma_core, name):
    where = f"rdma_core.{name}"
    check_keys(rdma_core[name], where, ("release", "source"))
    text(rdma_core[name], "source", where)
    return braces(release(rdma_core[name]["release"], where))


def check_day(entry, key, where):
    try:
        return datetime.date.fromisoformat(text(entry, key, where)).isoformat()
    except ValueError:
        raise Malformed(f"{where}: '{key}' must be a date such as 2026-07-23") from None


def generate(data):
    check_keys(data, "top level", ("as_of", "dpdk", "kernel", "platform", "rdma_core"))
    check_day(data, "as_of", "top level")
    check_keys(data["dpdk"], "dpdk", ("source", "newest", "fixes"))
    check_keys(data["kernel"], "kernel", ("milestones", "changes", "backports", "as_of", "lts", "fixes", "slow"))
    check_day(data["kernel"], "as_of", "kernel")
    check_changes(data["kernel"])
    platform = data["platform"]
    check_keys(platform, "platform", ("as_of", "source", "legacy_tag", "series"))
    check_day(platform, "as_of", "platform")
    text(platform, "source", "platform")
    check_keys(data["rdma_core"], "rdma_core", ("erdma_provider", "mana_provider"))
    newest = newest_releases(data["dpdk"])
    fixes = [fix_row(fix, where, newest) for fix, where in items(data["dpdk"], "fixes", "dpdk")]
    tables = (("Release kNewest", [f"    {braces(r)},\n" for r in newest]),
              ("Fix kFixes", fixes),
              ("KernelMilestone kMilestones", milestone_rows(data["kernel"])),
              ("KernelBackport kBackports", backport_rows(data["kernel"])),
              ("Release kKernelLines",
               [f"    {braces(release(line, where))},\n" for line, where in items(data["kernel"], "lts", "kernel")]),
              ("KernelFix kKernelFixes",
               [kernel_fix_row(fix, where) for fix, where in items(data["kernel"], "fixes", "kernel")]),
              ("SlowKernel kSlowKernels",
               [slow_kernel_row(row, where) for row, where in items(data["kernel"], "slow", "kernel")]),
              ("MovingSeries kMovingSeries", series_rows(platform)))
    code = "".join(f"constexpr {name}[] = {{\n{''.join(rows)}}};\n\n" for name, rows in tables)
    providers = [provider_release(data["rdma_core"], name)
                 for name in ("erdma_provider", "mana_provider")]
    return ("// Generated from data/releases.json; do not edit.\n"
            '#include "diag/release_table.h"\n\nnamespace manactl::diag {\nnamespace {\n\n'
            f"{code}constexpr ReleaseTable kTable{{{literal(data['as_of'])}, kNewest, kFixes, "
            f"kMilestones, kBackports, {', '.join(providers)}, {literal(data['kernel']['as_of'])}, kKernelLines, kKernelFixes, kSlowKernels,\n"
            f"    {literal(platform['as_of'])}, kMovingSeries, {legacy_tag(platform)}}};\n\n}}  // namespace\n\n"
            "const ReleaseTable& release_table() {\n  return kTable;\n}\n\n"
            "}  // namespace manactl::diag\n")


def unique_keys(pairs):
    keys = [key for key, _ in pairs]
    for key in keys:
        check(keys.count(key) == 1, "JSON", f"'{key}' occurs twice in one object")
    return dict(pairs)


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    try:
        code = generate(json.loads(source.read_text(), object_pairs_hook=unique_keys))
    except (OSError, ValueError, Malformed) as error:
        sys.exit(f"{source}: {error}")
    target.write_text(code)


if __name__ == "__main__":
    main()
