#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""settings_test.py ROOT: finds settings of an interface that restore neither restores nor leaves out for a reason.

Compares what the kernel headers of this machine define, and what procfs and sysfs show for "lo", with the tables in
src/setup/settings.cpp and src/os."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
SETTINGS = (ROOT / "src/setup/settings.cpp").read_text()
ETHTOOL = (ROOT / "src/os/ethtool_settings.cpp").read_text()
LINK = (ROOT / "src/os/link_settings.cpp").read_text()

# Why restore leaves a setting out.
OWNED = "a program or an object of others owns it"
OTHER_STEP = "another step of prepare records it"
NO_SETTING = "it is a value of the kernel or an action"
NOT_SUPPORTED = "neither hv_netvsc nor mana supports it"
SAME = "another row covers it"

SYSFS = {
    "carrier": NO_SETTING,
    "flags": "the row link/flags covers it, and another step whether the interface is up",
    "mtu": OTHER_STEP,
    "proto_down": NOT_SUPPORTED,
    "uevent": NO_SETTING,
    "statistics": NO_SETTING,
    "hold_time": "it is a parameter of the algorithm that the kernel changes",
    "stall_thrs": NO_SETTING,
    "stall_cnt": NO_SETTING,
    "limit": NO_SETTING,
    "broadcast": NO_SETTING,
    "stall_max": NO_SETTING,
}
ETHTOOL_COMMANDS = {
    "SSET": "the driver derives the speed from the host",
    "SLINKSETTINGS": "the driver derives the speed from the host",
    "SWOL": NOT_SUPPORTED,
    "SEEPROM": NOT_SUPPORTED,
    "SEEE": NOT_SUPPORTED,
    "SFECPARAM": NOT_SUPPORTED,
    "STUNABLE": NOT_SUPPORTED,
    "PHY_STUNABLE": NOT_SUPPORTED,
    "SRXCLSRLINS": NOT_SUPPORTED,
    "SRXCLSRLDEL": NOT_SUPPORTED,
    "SRXNTUPLE": NOT_SUPPORTED,
    "SRXFHINDIR": SAME,
    "SET_DUMP": NO_SETTING,
    "SMODULE": NOT_SUPPORTED,
} | {name: "the feature of the same name covers it" for name in
     ("SRXCSUM", "STXCSUM", "SSG", "STSO", "SUFO", "SGSO", "SGRO", "SFLAGS")}
# Requests of ethtool netlink that change something, without "ETHTOOL_MSG_" and "_SET".
ETHTOOL_MESSAGES = {name: SAME for name in (
    "LINKINFO", "LINKMODES", "DEBUG", "WOL", "FEATURES", "PRIVFLAGS", "RINGS", "CHANNELS", "COALESCE", "PAUSE", "EEE",
    "FEC", "MODULE", "RSS", "TSCONFIG")} | {name: NOT_SUPPORTED for name in ("PLCA_CFG", "MM", "PSE", "PHY")}
LINK_ATTRIBUTES = {
    "IFNAME": "udev names the interface, and another step reports a changed name",
    "MTU": OTHER_STEP,
    "TXQLEN": "the file tx_queue_len covers it",
    "GROUP": "the file netdev_group covers it",
    "IFALIAS": "the file ifalias covers it",
    "MASTER": OWNED,
    "XDP": OWNED,
    "VF_PORTS": OWNED,
    "VFINFO_LIST": NOT_SUPPORTED,
    "LINKMODE": NOT_SUPPORTED,
    "PROTO_DOWN": NOT_SUPPORTED,
    "PROTO_DOWN_REASON": NOT_SUPPORTED,
    "NET_NS_PID": "prepare works in the initial namespace only",
    "NET_NS_FD": "prepare works in the initial namespace only",
    "TARGET_NETNSID": "prepare works in the initial namespace only",
    "NEW_IFINDEX": NO_SETTING,
    "NEW_NETNSID": NO_SETTING,
    "LINK_NETNSID": NO_SETTING,
    "MAP": NOT_SUPPORTED,
    "WEIGHT": NO_SETTING,
    "PORT_SELF": NOT_SUPPORTED,
    "LINKINFO": "hardware has no kind",
    "LINK": NO_SETTING,
    "OPERSTATE": NO_SETTING,
    "BROADCAST": NO_SETTING,
    "MAX_PACING_OFFLOAD_HORIZON": NO_SETTING,
    "NETNS_IMMUTABLE": NO_SETTING,
    "HEADROOM": NOT_SUPPORTED,
    "TAILROOM": NOT_SUPPORTED,
    "NUM_TX_QUEUES": "the number of channels covers it",
    "NUM_RX_QUEUES": "the number of channels covers it",
    "NUM_VF": NO_SETTING,
    "EVENT": NO_SETTING,
    "EXT_MASK": NO_SETTING,
    "IF_NETNSID": NO_SETTING,
    "PAD": NO_SETTING,
    "COST": NOT_SUPPORTED,
    "PRIORITY": NOT_SUPPORTED,
    "PROTINFO": OWNED,
    "QDISC": "the row of os/queueing.h covers it, and prepare refuses others",
    "WIRELESS": NOT_SUPPORTED,
    "PROMISCUITY": "the row link/flags covers what was set by hand",
    "ALLMULTI": "the row link/flags covers what was set by hand",
    "DPLL_PIN": NOT_SUPPORTED,
    "DEVLINK_PORT": NO_SETTING,
} | {name: NO_SETTING for name in (
    "UNSPEC", "STATS", "STATS64", "CARRIER", "CARRIER_CHANGES", "CARRIER_UP_COUNT", "CARRIER_DOWN_COUNT", "MIN_MTU",
    "MAX_MTU", "PERM_ADDRESS", "PHYS_PORT_ID", "PHYS_PORT_NAME", "PHYS_SWITCH_ID", "PARENT_DEV_NAME",
    "PARENT_DEV_BUS_NAME", "TSO_MAX_SIZE", "TSO_MAX_SEGS")}


def uncovered_sysfs():
    """Files of "lo" that can be written, without those in the table of settings."""
    covered = set(re.findall(r"[a-z_]+", " ".join(re.findall(r'"[a-z_/ ]+"', SETTINGS))))
    for path in pathlib.Path("/sys/class/net/lo").resolve().rglob("*"):
        writable = path.is_file() and path.stat().st_mode & 0o200 and "power" not in path.parts
        if writable and path.name not in covered and path.name not in SYSFS:
            yield f"/sys/class/net/@/{path.name}"


def uncovered_sysctls():
    for path in pathlib.Path("/proc/sys/net").glob("*/*/lo"):
        if f'"{path.parent.relative_to("/")}/@"' not in SETTINGS:
            yield f"{path.parent}/@"


def uncovered_names(header, pattern, source, prefix, reasons):
    """Names in a header of the kernel that the source does not use."""
    for name in re.findall(pattern, pathlib.Path("/usr/include/linux", header).read_text(), re.M):
        if f"{prefix}{name}" not in source and name not in reasons:
            yield f"{prefix}{name} ({header})"


def uncovered_links():
    text = pathlib.Path("/usr/include/linux/if_link.h").read_text()
    names = re.findall(r"^\tIFLA_([A-Z0-9_]+)", re.search(r"enum \{\n\tIFLA_UNSPEC,.*?\n\};", text, re.S)[0], re.M)
    numbers = {"GSO_IPV4_MAX_SIZE", "GRO_IPV4_MAX_SIZE"}  # written as numbers, because older headers lack them
    for name in names:
        used = re.search(rf"\bIFLA_{name}\b", LINK) or name in numbers
        if not used and name not in LINK_ATTRIBUTES and not name.startswith("_"):
            yield f"IFLA_{name} (if_link.h)"


missing = [
    *uncovered_sysfs(),
    *uncovered_sysctls(),
    *uncovered_names("ethtool.h", r"^#define ETHTOOL_((?:PHY_)?S(?:ET_)?[A-Z]+)\s", ETHTOOL, "ETHTOOL_", ETHTOOL_COMMANDS),
    *uncovered_names("ethtool_netlink.h", r"^\tETHTOOL_MSG_([A-Z_]+)_SET,", ETHTOOL, "ETHTOOL_MSG_", ETHTOOL_MESSAGES),
    *uncovered_links(),
]
for name in missing:
    print(f"{name}: restore does not bring this back; add a row, or a reason to {sys.argv[0]}")
sys.exit(bool(missing))
