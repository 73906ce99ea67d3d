#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Our statistics against scipy's, on random series with a fixed seed.

usage: scipy_test.py PRINT_STATISTICS
"""

import json
import subprocess
import sys

import numpy
import scipy.stats

random = numpy.random.default_rng(1)
failures = []


def ours(a, b):
    lines = "\n".join(" ".join(repr(float(x)) for x in series) for series in (a, b))
    ran = subprocess.run([sys.argv[1]], input=lines, check=True, capture_output=True, text=True)
    return json.loads(ran.stdout)


def expect(what, got, wanted, tolerance=1e-9):
    if not abs(got - wanted) <= tolerance * max(1, abs(wanted)):
        failures.append(f"{what}: {got}, and scipy says {wanted}")


def hold(what, a, b):
    said = ours(a, b)
    expect(f"{what}: median", said["median"], numpy.median(a))
    expect(f"{what}: variation", said["variation"], scipy.stats.variation(a, ddof=1))
    ties = len(set(a) | set(b)) < len(a) + len(b)
    method = "asymptotic" if ties or max(len(a), len(b)) > 20 else "exact"
    expect(f"{what}: p", said["p"], scipy.stats.mannwhitneyu(a, b, method=method).pvalue)
    # The outermost values that may be cut: as many below the median as a coin shows heads.
    cut = max((k for k in range(len(a)) if scipy.stats.binom.cdf(k, len(a), 0.5) <= 0.025), default=None)
    if cut is not None:
        expect(f"{what}: low", said["low"], sorted(a)[cut])
        expect(f"{what}: high", said["high"], sorted(a)[-1 - cut])
    elif said["low"] != -1:
        failures.append(f"{what}: an interval of {len(a)} values")
    return said


for size in (2, 3, 5, 6, 7, 8, 9, 20, 21, 60, 600):
    for other in (1, 4, 20, 33):
        a = random.normal(1000, 30, size)
        b = random.normal(1010, 30, other)
        hold(f"{size} and {other} values", a, b)
        hold(f"{size} and {other} values with ties", a.round(-1), b.round(-1))

# Two resamplings never draw the same: bounds may differ by a tenth of their distance.
a, b = random.normal(1000, 30, 40), random.normal(1050, 30, 50)
said = hold("resampling", a, b)
bounds = scipy.stats.bootstrap((b, a), lambda x, y, axis: numpy.median(x, axis=axis) / numpy.median(y, axis=axis) - 1,
                               method="percentile", random_state=random, vectorized=True).confidence_interval
expect("change", said["change"], numpy.median(b) / numpy.median(a) - 1)
expect("change, low", said["change_low"], bounds.low, 0.1 * (bounds.high - bounds.low))
expect("change, high", said["change_high"], bounds.high, 0.1 * (bounds.high - bounds.low))

print("\n".join(failures) or "our statistics and scipy's agree")
sys.exit(1 if failures else 0)
