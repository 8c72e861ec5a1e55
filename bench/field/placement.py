"""What the placement of code and another machine change: recordings of `rebuilt` through the product's own stages."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise, permutations
from pathlib import Path

import numpy as np
from bench.field.builds import KINDS, PLANTS
from bench.field.cases import INTERLEAVED, MEASURED, Case
from bench.field.judging import TOTAL, Outcome, bare, judge, outcome_of, profile_of, worse_findings
from bench.field.rebuilt import Pair, pairs_in
from bench.field.table import Row, any_row, both_halves, chosen_by, is_red, named_red, reached, row_of

from profgate import pipeline
from profgate.decide.detect.evidence import run_values
from profgate.io.executors import executor_named, results_of
from profgate.model.comparison import Comparison
from profgate.model.record import replace
from profgate.model.source import source_of_profile
from profgate.pipeline import PipelineInput

SIZES = (20, 10, 5)  # runs of a side that are compared
REBUILT, ALONE, MORE = "rebuilt", "other machine, one base job", "other machine, several base jobs"
ON_BOTH = ", both of two machines"
FEWEST_SHARE = 0.02  # of the run, of functions whose differences between builds are shown
SHARES = (FEWEST_SHARE, 0.05, 0.1, 0.2, 10.0)  # of functions in the table of differences
IN_BLOCK = 2  # runs of a side in a block


def _row(percent: int, size: int = 0) -> str:
    """Return the name of a kind of comparison: a plant of some percent, or a rebuilt program."""
    what = f"planted +{percent} %" if percent else REBUILT
    return f"{what}, {size} + {size} runs" if size else f"{what}, measured"


def cases_of(pair: Pair) -> Iterator[Case]:
    """Yield the comparisons of a pair: all runs, also as `profgate measure` decides, and parts with fewer runs."""
    baseline, target = pair.sides()
    percent = PLANTS.get(pair.kind, 0)
    functions = (pair.function,) if percent else ()
    whole = Case(
        MEASURED, _row(percent), f"{pair.machine} {pair.kind}", baseline, target, (), functions, percent, baseline
    )
    yield whole
    for size in SIZES:
        for first in range(0, len(baseline) - size + 1, size):
            part, row = slice(first, first + size), _row(percent, size)
            yield replace(whole, mode=INTERLEAVED, row=row, baseline=baseline[part], target=target[part])


@dataclass(frozen=True, slots=True)
class Difference:
    """The relative difference of a function's own cost between two builds, and its standard error by blocks of runs."""

    language: str
    program: str
    kind: str
    function: str
    share: float
    difference: float
    error: float

    @property
    def excess(self) -> float:
        """The square of the difference that the noise of the runs does not explain."""
        return self.difference**2 - self.error**2


def differences_of(pair: Pair) -> list[Difference]:
    """Return the differences of all functions with a share of at least `FEWEST_SHARE`, and of the total."""
    sides = []
    for number, paths in enumerate(pair.sides()):
        profiles = [profile_of(path) for path in paths]
        named = [replace(profile, name=f"w/{100 * number + run}.x") for run, profile in enumerate(profiles)]
        sides.append([source_of_profile(profile) for profile in named])
    (comparison,) = pipeline.overlays(PipelineInput(sides[0], sides[1], pages=0, interleaved=True))
    return list(_differences(pair, comparison))


def _differences(pair: Pair, comparison: Comparison) -> Iterator[Difference]:
    values = run_values(comparison, interleaved=True)
    if values is None:
        return
    rows = {comparison.symbols.names[symbol]: own for symbol, own in values.own.items()} | {TOTAL: values.totals}
    blocks = len(values.totals) // 2 // IN_BLOCK
    whole = values.totals.mean()
    for name, costs in rows.items():
        before, after = costs[: blocks * IN_BLOCK], costs[len(costs) // 2 :][: blocks * IN_BLOCK]
        share = float(before.mean() / whole)
        if share < FEWEST_SHARE or blocks < 2:
            continue
        steps = (after - before).reshape(blocks, IN_BLOCK).mean(axis=1) / before.mean()
        error = float(steps.std(ddof=1) / np.sqrt(blocks))
        function = bare(name)
        yield Difference(pair.language, pair.program, pair.kind, function, share, float(steps.mean()), error)


Judged = tuple[list[Outcome], list[Difference]]


def judged_pair(pair: Pair) -> Judged:
    """Judge the comparisons of a pair. Raises ProfileError."""
    outcomes = [outcome_of(pair.program, case, held_out=pair.held_out) for case in cases_of(pair)]
    differences = [] if pair.kind in PLANTS else differences_of(pair)
    profile_of.cache_clear()  # no other pair has these runs
    return outcomes, differences


def judged_apart(pairs: Sequence[Pair]) -> Judged:
    """Judge unchanged runs on each machine against baselines that the other machines recorded. Raises ProfileError.

    ``pairs`` are those of a program, one for each machine.
    """
    runs = {pair.machine: [profile_of(path) for path in pair.sides()[0]] for pair in pairs}
    found = []
    for old, new in permutations(runs, 2):
        others = [runs[name] for name in runs if name not in {old, new}]
        for row, jobs in ((ALONE, []), (MORE, others)) if others else ((ALONE, []),):
            report = judge(runs[old], runs[new], jobs, interleaved=False, apart=True)
            worse = worse_findings(report)
            red = tuple(finding.location.name for finding in worse if finding.colour == "red")
            listed = tuple(finding.location.name for finding in worse)
            first, conclusion = pairs[0], report.verdict.conclusion
            variant = f"{old} {new}"
            outcome = Outcome(
                first.program,
                first.held_out,
                INTERLEAVED,
                row,
                variant,
                conclusion,
                red,
                listed,
                "",
                False,
                False,
                None,
            )
            found.append(outcome)
    profile_of.cache_clear()
    return found, []


def agreed(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return what each two machines agree on: functions that are red, or listed, on both."""
    alike: dict[tuple[str, str, str], dict[str, Outcome]] = defaultdict(dict)
    for outcome in outcomes:
        machine, _, kind = outcome.variant.partition(" ")
        if outcome.mode == MEASURED:
            alike[outcome.program, kind, outcome.row][machine] = outcome
    found = []
    for (program, kind, row), machines in alike.items():
        for first, second in combinations(sorted(machines), 2):
            one, other = machines[first], machines[second]
            red, listed = set(one.red) & set(other.red), set(one.listed) & set(other.listed)
            found.append(
                Outcome(
                    program,
                    one.held_out,
                    INTERLEAVED,
                    f"{row}{ON_BOTH}",
                    f"{first} {second} {kind}",
                    "fail" if red else "pass",
                    tuple(sorted(red)),
                    tuple(sorted(listed)),
                    "",
                    one.named_red and other.named_red,
                    one.named_listed and other.named_listed,
                    None,
                )
            )
    return found


def rows() -> list[Row]:
    """Return the rows of the table of rebuilt programs and other machines."""
    kinds = [(MEASURED, "", 0), *((INTERLEAVED, "", size) for size in SIZES), (INTERLEAVED, ON_BOTH, 0)]
    found = []
    for mode, end, size in kinds:
        name = _row(0, size) + end
        found.append(row_of(f"{name}: red", chosen_by(mode, name), is_red, 0.0, most=True))
        found.append(row_of(f"{name}: listed", chosen_by(mode, name), any_row, None))
        for percent in PLANTS.values():
            name = _row(percent, size) + end
            limit = None if size else 0.95
            found.append(row_of(f"{name}: red by name", chosen_by(mode, name), named_red, limit))
    for row in (ALONE, MORE):
        found.append(row_of(f"{row}: red", chosen_by(INTERLEAVED, row), is_red, 0.0, most=True))
        found.append(row_of(f"{row}: listed", chosen_by(INTERLEAVED, row), any_row, None))
    return found


def judge_pairs(folder: Path, executor: str) -> Judged:
    """Judge all recordings of a folder by an executor. Raises ProfgateError."""
    pairs = pairs_in(folder)
    tasks = [partial(judged_pair, pair) for pair in pairs]
    by_program: dict[str, dict[str, Pair]] = defaultdict(dict)
    for pair in pairs:
        by_program[pair.program].setdefault(pair.machine, pair)
    tasks += [partial(judged_apart, [*machines.values()]) for machines in by_program.values() if len(machines) > 1]
    with executor_named(executor) as started:
        results = list(results_of(tasks, started))
    outcomes = [outcome for judged, _ in results for outcome in judged]
    in_turns = [outcome for judged, _ in results[: len(pairs)] for outcome in judged]
    return outcomes + agreed(in_turns), [one for _, differing in results for one in differing]


def _groups(difference: Difference) -> Iterator[str]:
    """Yield the rows of the table that count a difference: language, kind of edit, share of the function, and all."""
    if difference.function == TOTAL:
        yield f"total, {difference.language or 'unknown'}"
        return
    yield f"functions, {difference.language or 'unknown'}"
    yield f"functions, {KINDS.get(difference.kind, difference.kind)}"
    low, high = next((low, high) for low, high in pairwise(SHARES) if difference.share < high)
    yield f"functions, {100 * low:.0f} to {100 * min(high, 1.0):.0f} % of the run"
    yield "functions, all"


def differences_table(differences: Sequence[Difference]) -> str:
    """Return the differences between builds by language and share: median, 95 % and largest, without their noise."""
    groups: dict[str, list[Difference]] = defaultdict(list)
    for one in differences:
        for group in _groups(one):
            groups[group].append(one)
    lines = [
        "| cost | compared | median difference | median noise | τ | median τ | 95 % τ | largest τ | of |",
        "| --- | --: | --: | --: | --: | --: | --: | --: | --- |",
    ]
    for group, members in sorted(
        groups.items(), key=lambda item: (item[0].startswith("total"), "%" in item[0], item[0])
    ):
        excess = np.array([one.excess for one in members])
        each = np.sqrt(np.maximum(0.0, excess))
        worst = members[int(each.argmax())]
        shown = (
            np.median([abs(one.difference) for one in members]),
            np.median([one.error for one in members]),
            np.sqrt(max(0.0, excess.mean())),
            *np.quantile(each, (0.5, 0.95, 1.0)),
        )
        cells = " | ".join(f"{100 * value:.1f} %" for value in shown)
        lines.append(f"| {group} | {len(members)} | {cells} | `{worst.function}` of {worst.program}, {worst.kind} |")
    return "\n".join(lines)


def rebuilt_text(outcomes: Sequence[Outcome], differences: Sequence[Difference]) -> tuple[str, bool]:
    """Return the tables of both halves, the programs, the differences, and whether all targets are met."""
    halves = [[one for one in outcomes if one.held_out == held_out] for held_out in (True, False)]
    held_out, dev = (reached(half, rows()) for half in halves)
    texts = [both_halves(held_out, dev)]
    for name, half in zip(("Held-out programs", "Development programs"), halves, strict=True):
        programs = sorted({one.program for one in half})
        texts.append(f"{name}: {', '.join(programs) or 'none'}")
    texts.append(differences_table(differences))
    return "\n\n".join(texts), all(one.met is not False for one in (*held_out, *dev))
