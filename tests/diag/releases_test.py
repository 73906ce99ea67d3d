#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""releases_test.py SOURCE_DIR: tests which data/releases.json cmake/releases.py accepts."""

import copy
import json
import pathlib
import re
import runpy
import sys
import tempfile
import unittest
import unittest.mock

SOURCE = pathlib.Path(sys.argv.pop(1))
SCRIPT = runpy.run_path(str(SOURCE / "cmake/releases.py"))
DATA = json.loads((SOURCE / "data/releases.json").read_text())


def generate(text):
    """Returns the error message (None if there is none) and the generated code (or None)."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "in.json"), pathlib.Path(folder, "out.cpp")
        source.write_text(text)
        error = None
        with unittest.mock.patch.object(sys, "argv", ["releases.py", str(source), str(target)]):
            try:
                SCRIPT["main"]()
            except SystemExit as exit_request:
                error = exit_request.code
        return error, target.read_text() if target.exists() else None


class Generator(unittest.TestCase):
    def assert_refused(self, change, *expected):
        data = copy.deepcopy(DATA)
        change(data)
        self.assert_text_refused(json.dumps(data), *expected)

    def assert_text_refused(self, text, *expected):
        error, code = generate(text)
        self.assertIsNone(code)
        self.assertIsInstance(error, str)  # sys.exit() prints it and ends with status 1
        self.assertNotIn("\n", error)
        for part in ("in.json: ", *expected):
            self.assertIn(part, error)

    def test_generates_constants_from_the_data_of_the_repository(self):
        error, code = generate(json.dumps(DATA))
        self.assertIsNone(error)
        for fix in DATA["dpdk"]["fixes"]:
            self.assertIn(json.dumps(fix["change"]), code)
        self.assertIn("constexpr ReleaseTable kTable", code)

    def test_lines_after_mainline_contain_the_fix(self):
        data = copy.deepcopy(DATA)
        data["dpdk"]["fixes"] = [{"driver": "d", "change": "c", "commits": ["0123456789"],
                                  "importance": "other", "mainline": "24.03",
                                  "backports": {"22.11": "22.11.5"}}]
        self.assertIn("{24, 3, 0}, {{5, Fix::kNever, 0, 0}}", generate(json.dumps(data))[1])

    def test_refuses_text_that_is_not_json(self):
        self.assert_text_refused("{")
        self.assert_text_refused('{"as_of": 1, "as_of": 2}', "'as_of' occurs twice")
        self.assert_text_refused("[]", "top level", "must be an object")

    def test_refuses_missing_and_unknown_fields(self):
        self.assert_refused(lambda d: d["dpdk"]["fixes"][3].pop("change"),
                            "dpdk.fixes[3]", "'change' is missing")
        self.assert_refused(lambda d: d["dpdk"]["fixes"][0].update(remark="x"),
                            "dpdk.fixes[0]", "unknown field 'remark'")
        self.assert_refused(lambda d: d["kernel"]["backports"][1].pop("source"),
                            "kernel.backports[1]", "'source' is missing")
        self.assert_refused(lambda d: d["rdma_core"].pop("mana_provider"), "'mana_provider'")

    def test_refuses_values_of_the_wrong_kind(self):
        first = "dpdk.fixes[0]"
        for change, message in (({"importance": "urgent"}, "'importance' must be one of required"),
                                ({"only_on": "riscv"}, "'only_on' must be one of always"),
                                ({"commits": ["HEAD"]}, "abbreviated commit hashes"),
                                ({"commits": []}, "non-empty list"),
                                ({"change": "caf\u00e9"}, "printable ASCII"),
                                ({"mainline": "next"}, "'next' is not a release"),
                                ({"backports": ["22.11.2"]}, "'backports' must be an object")):
            self.assert_refused(lambda d, c=change: d["dpdk"]["fixes"][0].update(c), first, message)
        self.assert_refused(lambda d: d["kernel"]["milestones"][0].update(sufficient=1),
                            "kernel.milestones[0]", "must be true or false")
        self.assert_refused(lambda d: d["kernel"]["backports"][0].update(first_build="1046"),
                            "kernel.backports[0]", "must be a positive number")
        self.assert_refused(lambda d: d.update(as_of="yesterday"), "must be a date")

    def test_refuses_backports_that_cannot_be(self):
        fixes = [f for f in DATA["dpdk"]["fixes"] if f["mainline"] == "23.03"]
        index = DATA["dpdk"]["fixes"].index(fixes[0])
        for backports, message in (({"22.11": "22.11.99"}, "up to 22.11.11"),
                                   ({"22.11": "23.11.1"}, "must be a point release"),
                                   ({"23.11": "23.11.1"}, "already contains the fix"),
                                   ({"21.11": "21.11.1"}, "not an LTS line")):
            self.assert_refused(
                lambda d, b=backports: d["dpdk"]["fixes"][index].update(backports=b), message)

    def test_refuses_invalid_kernel_changes(self):
        first = "kernel.changes[0]"
        for change, message in (({"commits": ["HEAD"]}, "abbreviated commit hashes"),
                                ({"stable": []}, "non-empty list"),
                                ({"stable": ["6.13.1"]}, "must be older than the mainline release"),
                                ({"remark": "x"}, "unknown field 'remark'")):
            self.assert_refused(lambda d, c=change: d["kernel"]["changes"][0].update(c), first, message)

    def test_refuses_invalid_kernel_fixes(self):
        first = "kernel.fixes[0]"
        for change, message in (({"cve": "2026-23454"}, "must be an id such as"),
                                ({"importance": "required"}, "must be one of recommended"),
                                ({"since": "7.0"}, "'since' must be older than 'mainline'"),
                                ({"stable": ["7.0.1"]}, "lines before 'mainline'"),
                                ({"stable": ["6.1"]}, "must hold point releases"),
                                ({"stable": ["6.1.2", "6.1.3"]}, "names a line twice"),
                                ({"stable": [f"6.{line}.1" for line in range(9)]}, "more than 8 releases"),
                                ({"remark": "x"}, "unknown field 'remark'")):
            self.assert_refused(lambda d, c=change: d["kernel"]["fixes"][0].update(c), first, message)
        self.assert_refused(lambda d: d["kernel"]["slow"][0].update(last_build=1), "ascending order")
        self.assert_refused(lambda d: d["kernel"].update(as_of="today"), "kernel", "must be a date")

    def test_refuses_invalid_series(self):
        first = "platform.series[0]"
        for change, message in (({"sizes": ["Standard_A2_v2"]}, "is not a size such as D#s_v5"),
                                ({"sizes": ["A#_v2", "A#_v2"]}, "A#_v2 occurs twice"),
                                ({"since": "May 2026"}, "'since' must be a date"),
                                ({"remark": "x"}, "unknown field 'remark'")):
            self.assert_refused(lambda d, c=change: d["platform"]["series"][0].update(c), first, message)
        self.assert_refused(lambda d: d["platform"]["legacy_tag"].update(set_before="2027-06-01"),
                            "platform.legacy_tag", "must not be later")
        self.assert_refused(lambda d: d["platform"].pop("source"), "platform", "'source' is missing")

    def test_signatures_name_the_releases_of_kernel_changes(self):
        signatures = json.loads((SOURCE / "data/signatures.json").read_text())["signatures"]
        texts = {entry["id"]: json.dumps(entry) for entry in signatures}
        for change in DATA["kernel"]["changes"]:
            for release in (change["mainline"], *change["stable"]):
                self.assertRegex(texts[change["signature"]], rf"\b{re.escape(release)}(?![.\d]*\d)", change["signature"])

    def test_refuses_tables_in_the_wrong_order(self):
        self.assert_refused(lambda d: d["dpdk"]["newest"].reverse(), "ascending order")
        self.assert_refused(lambda d: d["kernel"]["milestones"].reverse(), "older than the preceding milestone")
        self.assert_refused(lambda d: d["kernel"]["milestones"].pop(), "must be 0.0")


if __name__ == "__main__":
    unittest.main()
