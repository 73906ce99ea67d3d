# SPDX-License-Identifier: MIT
"""Writes small inputs that need much memory: bundles, captured trees and results of bench."""
import copy
import io
import json
import tarfile

from attack import ROOT

MIB = 1 << 20


class Bundle:
    """A tar.gz that is written entry by entry."""

    def __init__(self, path, of=None):
        self.path = path
        self.tar = tarfile.open(path, "w:gz", compresslevel=1, format=tarfile.GNU_FORMAT)
        if of:
            self.tar.add(of, arcname=".")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tar.close()

    def file(self, name, content=b""):
        info = tarfile.TarInfo(name)
        info.size = len(content)
        self.tar.addfile(info, io.BytesIO(content))

    def zeros(self, name, size, byte=b"\0"):
        info = tarfile.TarInfo(name)
        info.size = size
        self.tar.addfile(info, Repeated(byte, size))

    def link(self, name, target):
        info = tarfile.TarInfo(name)
        info.type = tarfile.SYMTYPE
        info.linkname = target
        self.tar.addfile(info)


class Repeated(io.RawIOBase):
    """A file of `size` bytes that repeats `pattern`, without holding them."""

    def __init__(self, pattern, size):
        self.block = pattern * (MIB // len(pattern) + 1)
        self.period, self.size, self.at = len(pattern), size, 0

    def read(self, count=-1):
        count = min(self.size - self.at if count < 0 else count, self.size - self.at, MIB)
        phase = self.at % self.period
        self.at += count
        return self.block[phase:phase + count]


def sparse(path, size):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        file.truncate(size)


def result(change=None, mode="tx"):
    """A result of bench as a dictionary, changed by change(result)."""
    document = json.loads((ROOT / "tests/bench" / f"{mode}.json").read_text())
    if change:
        change(document)
    return document


def write_json(path, document, **replaced):
    """Writes the document; the text "@name" is replaced by the given JSON text, which may be long."""
    text = json.dumps(document)
    for name, value in replaced.items():
        text = text.replace(f'"@{name}"', value)
    path.write_text(text)
    return path


def latency_trials(document, count):
    """Makes `count` trials of round trips, each with an empty histogram."""
    document["plan"]["mode"] = "rtt"
    trial = document["trials"][0]
    empty = dict.fromkeys(["min_ns", "mean_ns", "p50_ns", "p90_ns", "p99_ns", "p99_9_ns", "p99_99_ns", "max_ns"])
    trial["latency"] = {"count": 0, **empty, "buckets": []}
    trial["replies"] = {"reordered": 0, "unrelated": 0}
    document["trials"] = [copy.deepcopy(trial) for _ in range(count)]
    del document["series"]
