"""The verdict on simulated programs at 2,000 samples a run; docs/explanation/accuracy.md holds it on real ones."""

import sys
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # bench is run from the checkout and not installed

from bench.field.judging import judge, names, worse_findings

from profgate.model.arrays import FloatArray, IntArray
from profgate.model.call_tree import CallTree, merged_paths
from profgate.model.profile import Configuration, Facts, FrameList, Profile, Stacks
from profgate.model.report import Report
from profgate.model.units import Metric

Random = np.random.Generator
FUNCTIONS, SAMPLES, RUNS = 150, 2000, 5
MACHINE_NOISE, FUNCTION_NOISE, DISPERSION = 0.03, 0.03, 2.0
UNCHANGED_PAIRS, CHANGED_PAIRS, JOB_PAIRS = 100, 20, 20


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Functions by number: name, number of the caller (-1 = none) and part of the run spent in itself."""

    names: tuple[str, ...]
    caller: IntArray
    shares: FloatArray

    def grown(self, place: int, growth: float) -> "Program":
        """The function takes this part of the run more."""
        shares = self.shares.copy()
        shares[place] += growth
        return replace(self, shares=shares)

    def with_callee(self, caller: int, name: str, share: float) -> "Program":
        """A new function takes this part of the run."""
        return Program((*self.names, name), np.append(self.caller, caller), np.append(self.shares, share))

    def holding(self, share: float) -> tuple["Program", int]:
        """The program with a function that holds this part of the run, and its number."""
        place = 3
        shares = self.shares * (1.0 - share) / (1.0 - self.shares[place])
        shares[place] = share
        return replace(self, shares=shares), place


def program_of(random: Random) -> Program:
    """The k-th function costs 1/k of the first; callers are drawn near the entry more often than far."""
    shares = 1.0 / np.arange(1, FUNCTIONS + 1)
    order, caller = random.permutation(FUNCTIONS), np.full(FUNCTIONS, -1, dtype=np.int64)
    for place in range(1, FUNCTIONS):
        caller[order[place]] = order[int(place * random.random() ** 2)]
    return Program(tuple(f"function_{number:03}" for number in range(FUNCTIONS)), caller, shares / shares.sum())


@cache  # many runs have the same paths
def calls_of(program: Program) -> tuple[IntArray, IntArray, CallTree, IntArray]:
    """Depth and function of every call path, callers first, and their tree with the row of each."""
    callees: dict[int, list[int]] = {}
    for number, caller in enumerate(program.caller.tolist()):
        callees.setdefault(caller, []).append(number)
    todo, found = [(0, number) for number in callees[-1]], []
    while todo:
        depth, number = todo.pop()
        found.append((depth, number))
        todo += [(depth + 1, callee) for callee in callees.get(number, [])]
    depth, function = np.array(found, dtype=np.int64).T.copy()
    return depth, function, *merged_paths(depth, function)


def recorded(random: Random, program: Program, job: str = "") -> Profile:
    """One run under a sampling profiler, which catches functions in bursts."""
    depth, function, tree, rows = calls_of(program)
    noise = random.normal(0.0, MACHINE_NOISE) + random.normal(0.0, FUNCTION_NOISE, len(program.shares))
    values = np.rint(DISPERSION * random.poisson(SAMPLES / DISPERSION * program.shares * np.exp(noise)))
    own = values.astype(np.int64)[function]
    costs = np.zeros(len(tree), np.int64)
    costs[rows] = own
    seen = tree.totals(costs)[rows] > 0
    leaf = own[seen] > 0
    unknown: list[None] = [None] * len(program.names)
    return Profile(
        name="w",
        configuration=Configuration(),
        metrics=(Metric("samples", "samples"),),
        frames=FrameList(list(program.names), ["shop.py"] * len(program.names), list(unknown), list(unknown)),
        stacks=Stacks(depth[seen], function[seen], leaf, own[seen][leaf][None, :], np.zeros(1, np.int64)),
        periods=(1,),
        facts=Facts(format="folded", job=job or None),
    )


def runs_of(random: Random, program: Program, count: int = RUNS) -> list[Profile]:
    """Some runs of one job."""
    return [recorded(random, program) for _ in range(count)]


def compared(random: Random, before: Program, after: Program, *, runs: int = RUNS, jobs: int = 0) -> Report:
    """The report on two builds of one job or, with ``jobs``, on a job against this many base jobs."""
    others = [runs_of(random, before, runs) for _ in range(max(0, jobs - 1))]
    return judge(runs_of(random, before, runs), runs_of(random, after, runs), others, interleaved=not jobs)


def colours(report: Report, function: str) -> set[str]:
    """Colours of the rows that name the function."""
    return {finding.colour for finding in worse_findings(report) if names(finding, function)}


@pytest.mark.slow
def test_unchanged_code_is_rarely_red_and_rarely_listed() -> None:
    random = np.random.default_rng(1)
    programs = [program_of(random) for _ in range(UNCHANGED_PAIRS)]
    reports = [compared(random, program, program) for program in programs]
    assert sum(report.verdict.conclusion == "fail" for report in reports) <= 0.02 * UNCHANGED_PAIRS
    assert sum(bool(worse_findings(report)) for report in reports) <= 0.06 * UNCHANGED_PAIRS


def test_one_run_a_side_is_never_red() -> None:
    random = np.random.default_rng(2)
    program = program_of(random)
    reports = [compared(random, program, program, runs=1) for _ in range(CHANGED_PAIRS)]
    assert all(report.verdict.conclusion != "fail" for report in reports)


@pytest.mark.parametrize(("share", "growth", "wanted"), [(0.05, 0.05, 0.7), (0.2, 0.1, 0.9), (0.4, 0.2, 0.9)])
def test_growth_of_a_function_is_red(share: float, growth: float, wanted: float) -> None:
    random = np.random.default_rng(3)
    found = []
    for _ in range(CHANGED_PAIRS):
        program, place = program_of(random).holding(share)
        found.append(colours(compared(random, program, program.grown(place, growth)), program.names[place]))
    assert sum("red" in colour for colour in found) >= wanted * CHANGED_PAIRS
    assert sum(bool(colour) for colour in found) >= 0.9 * CHANGED_PAIRS


@pytest.mark.parametrize(("share", "colour"), [(0.05, {"red", "yellow"}), (0.1, {"red"})])
def test_a_new_function_is_named(share: float, colour: set[str]) -> None:
    random = np.random.default_rng(4)
    found = []
    for _ in range(CHANGED_PAIRS):
        program = program_of(random)
        found.append(colours(compared(random, program, program.with_callee(5, "audit", share)), "audit"))
    assert sum(bool(seen & colour) for seen in found) >= 0.9 * CHANGED_PAIRS


def test_base_jobs_show_growth_and_not_noise() -> None:
    random = np.random.default_rng(5)
    false = found = 0
    for _ in range(JOB_PAIRS):
        program, place = program_of(random).holding(0.05)
        false += compared(random, program, program, jobs=8).verdict.conclusion == "fail"
        found += "red" in colours(compared(random, program, program.grown(place, 0.1), jobs=8), program.names[place])
    assert false == 0
    assert found >= 0.9 * JOB_PAIRS
