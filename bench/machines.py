"""Simulate the verdict of two machines: ./run bench machines [--cases N].

A function costs exp(change + placement + noise) times its share of the run, and is sampled at 500 Hz with a dispersion
of 2. Placement is drawn for each function and machine from a normal distribution with the standard deviation in the
table; noise between processes is 4 %, and 25 % in three of the 20 functions. Each machine measures
40 + 40 runs in 90 s for each side, with looks after 10, 20 and 40 runs, by the levels, the test and the rule for
placement of `profgate confirm`.
"""

import argparse
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from profgate.decide.detect.permutation import Rows, jointly_tested
from profgate.decide.judge.machines import placement_of
from profgate.measuring.looks import RUNS, planned
from profgate.model.arrays import BoolArray, FloatArray
from profgate.model.levels import DEVIATIONS, GATE_SHARE, OWN_FLOOR

SECONDS, RATE, DISPERSION = 90.0, 500.0, 2.0
NOISE = np.full(20, 0.04)
NOISE[[5, 12, 17]] = 0.25
OTHERS = np.array([0.20, 0.10, 0.08, 0.05, 0.05, 0.04, 0.04, 0.03, 0.03] + [0.02] * 10)  # shares of unchanged functions
PLACEMENTS = (0.0, 0.02, 0.04, 0.06, 0.08)
PLANTED = ((0.02, 0.1), (0.03, 0.1), (0.03, 0.2), (0.05, 0.2))  # change of the run, and the function's share before


class OfMachine(NamedTuple):
    """The change of each function in natural logarithms, its standard error, and whether it is certain."""

    change: FloatArray
    error: FloatArray
    certain: BoolArray
    runs: int


def measured(random: np.random.Generator, shares: FloatArray, change: FloatArray, placement: float) -> OfMachine:
    """Measure on one machine until something is certain."""
    most, functions = RUNS[-1], len(shares)
    expected = shares * RATE * SECONDS / most
    mean = np.exp(random.normal(0.0, NOISE, (2, most, functions)))
    mean[1] *= np.exp(change + random.normal(0.0, placement, functions))
    runs = DISPERSION * random.poisson(mean * expected / DISPERSION) / expected
    for look in planned(most, counts=False, machines=2, functions=functions):
        values = runs[:, : look.runs].reshape(-1, functions).T
        sampling = DISPERSION / expected + 0.03**2
        rows = Rows(values, sampling, GATE_SHARE / shares, np.full(functions, OWN_FLOOR))
        family = jointly_tested(
            [rows], (look.runs, look.runs), look.level, [np.ones(functions, np.bool_)], look.runs // 2
        )
        seen = family.seen[0]
        before = values[:, : look.runs].mean(axis=1)
        relative, error = seen.difference / before, seen.error / before
        large = relative >= look.deviations * np.hypot(error, look.placement)
        certain = (family.p[0] <= look.level) & large
        if certain.any():
            break
    return OfMachine(relative, error, certain, look.runs)


def red(machines: Sequence[OfMachine]) -> BoolArray:
    """Return which functions are red."""
    one, other = machines
    logs = [np.log1p(machine.change) for machine in machines]
    errors = [machine.error / (1.0 + machine.change) for machine in machines]
    pairs = np.stack([logs[0] - logs[1], errors[0] ** 2 + errors[1] ** 2], axis=1)
    placement = placement_of(pairs.tolist())
    found = one.certain & other.certain
    for machine in machines:
        found = found & (machine.change >= DEVIATIONS[2] * np.hypot(machine.error, placement))
    return np.asarray(found)


def rate(
    random: np.random.Generator, cases: int, planted: tuple[float, float], placement: float
) -> tuple[float, float]:
    """Return the percentages of comparisons in which anything and in which the first of 20 functions is red."""
    growth, share = planted
    shares = np.append(share, OTHERS * (1.0 - share) / OTHERS.sum())
    change = np.zeros(20)
    change[0] = np.log1p(growth / share)
    found = np.array([red([measured(random, shares, change, placement) for _ in range(2)]) for _ in range(cases)])
    return 100.0 * float(found.any(axis=1).mean()), 100.0 * float(found[:, 0].mean())


def main(arguments: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="bench machines", description=__doc__)
    parser.add_argument("--cases", type=int, default=300, metavar="N", help="comparisons of each planted change")
    options = parser.parse_args(arguments)
    random = np.random.default_rng(7)
    heads = [f"+{100 * run:.0f} %, held {100 * share:.0f} %" for run, share in PLANTED]
    print(f"| placement | unchanged, red | {' | '.join(heads)} |\n|--:|--:|{'--:|' * len(PLANTED)}")
    for placement in PLACEMENTS:
        cells = [f"{rate(random, 5 * options.cases, (0.0, 0.05), placement)[0]:.2f} %"]
        cells += [f"{rate(random, options.cases, planted, placement)[1]:.0f} %" for planted in PLANTED]
        print(f"| {100 * placement:.0f} % | {' | '.join(cells)} |", flush=True)
    return 0
