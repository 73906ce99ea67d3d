#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare our statistics with those of scipy, on random series with a fixed seed.

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


def expect(what, got, expected, tolerance=1e-9):
    if not abs(got - expected) <= tolerance * max(1, abs(expected)):
        failures.append(f"{what}: {got}, but scipy has {expected}")


def compare(what, a, b):
    result = ours(a, b)
    expect(f"{what}: median", result["median"], numpy.median(a))
    expect(f"{what}: variation", result["variation"], scipy.stats.variation(a, ddof=1))
    ties = len(set(a) | set(b)) < len(a) + len(b)
    method = "asymptotic" if ties or max(len(a), len(b)) > 20 else "exact"
    expect(f"{what}: p", result["p"], scipy.stats.mannwhitneyu(a, b, method=method).pvalue)
    # How many of the sorted values lie below the 95 % confidence interval of the median, and as many lie above it.
    # The binomial distribution applies, because each value is below the true median with probability 0.5.
    cut = max((k for k in range(len(a)) if scipy.stats.binom.cdf(k, len(a), 0.5) <= 0.025), default=None)
    if cut is not None:
        expect(f"{what}: low", result["low"], sorted(a)[cut])
        expect(f"{what}: high", result["high"], sorted(a)[-1 - cut])
    elif result["low"] != -1:
        failures.append(f"{what}: {len(a)} values are too few for a confidence interval")
    return result


for size in (2, 3, 5, 6, 7, 8, 9, 20, 21, 60, 600):
    for other in (1, 4, 20, 33):
        a = random.normal(1000, 30, size)
        b = random.normal(1010, 30, other)
        compare(f"{size} and {other} values", a, b)
        compare(f"{size} and {other} values with ties", a.round(-1), b.round(-1))

# The two programs draw different bootstrap samples, so a bound may differ by a tenth of the interval's width.
a, b = random.normal(1000, 30, 40), random.normal(1050, 30, 50)
result = compare("resampling", a, b)
bounds = scipy.stats.bootstrap((b, a), lambda x, y, axis: numpy.median(x, axis=axis) / numpy.median(y, axis=axis) - 1,
                               method="percentile", random_state=random, vectorized=True).confidence_interval
expect("change", result["change"], numpy.median(b) / numpy.median(a) - 1)
expect("change, low", result["change_low"], bounds.low, 0.1 * (bounds.high - bounds.low))
expect("change, high", result["change_high"], bounds.high, 0.1 * (bounds.high - bounds.low))

print("\n".join(failures) or "our statistics agree with those of scipy")
sys.exit(1 if failures else 0)
