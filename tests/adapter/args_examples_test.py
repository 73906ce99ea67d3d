#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""args_examples_test.py MANACTL TESTPMD: runs the examples of manactl-args(1) with testpmd as they are printed there.

Every DPDK accepts the arguments. If TESTPMD has net_mana, it sends packets on the software adapter.
"""
import pathlib
import sys

sys.dont_write_bytecode = True
from testpmd_run import ExampleRun

MAC_OF_ETH1 = "00:0d:3a:76:3b:d1"

source = pathlib.Path(__file__).resolve().parents[2]
examples = (source / "man/manactl-args.1.scd").read_text(encoding="utf-8").partition("# EXAMPLES")[2]
blocks = [block.strip().splitlines() for block in examples.split("```")[1::2] if "dpdk-testpmd" in block]
assert len(blocks) == 2, blocks
# The arguments contain a VMBus id only for a NIC that is bound to user space.
for nic, tree in ("eth1", "debian12-dpdk"), ("enP30832p0s0d1", "prepared-uio"):
    for block in blocks:
        lines = [line.replace("eth1", nic) for line in block]
        run = ExampleRun(lines, str(source / "tests/fixtures" / tree), MAC_OF_ETH1)
        run.check("--vdev=7870:00:00.0,mac=" + MAC_OF_ETH1 in run.report["command"], f"no device: {lines}")
        run.check("Selected IOVA mode" in run.log, f"EAL does not accept the arguments: {lines}")
        if run.report["unused_reason"]:
            run.check("no net_mana" in run.report["unused_reason"], f"the adapter was not used: {lines}")
            continue
        run.check_contract()
        run.check(run.port()["tx_packets"] > 0, f"no packets: {lines}")
print(f"{len(blocks)} examples: passed")
