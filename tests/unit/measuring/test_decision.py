"""When a measurement stops, and what it says about each suspect."""

from collections.abc import Mapping, Sequence
from typing import cast

import pytest

from action_stage import SHARES, SLOWER, folded
from comparisons import from_exclusive
from profgate.errors import ProfgateError
from profgate.loading import read_sources
from profgate.measuring.decision import Decision, decided, outcomes_of
from profgate.measuring.looks import OF_COUNTS
from profgate.measuring.turns import Turns
from profgate.model.change import Location
from profgate.model.measurement import Suspect
from profgate.model.policy import Policy
from profgate.model.record import replace
from profgate.model.source import SourceFile, source_of
from profgate.model.units import Metric, MetricKind
from profgate.pipeline import PipelineInput

Shares = Mapping[str, int]
STEADY = {name: 1000 * cost for name, cost in SHARES.items()}
PARSE = Suspect("api", "samples", Location("parse"), listed=True, change=1.0)


class Recorded(Turns):
    """Runs that took 10 seconds a pair and had these costs, which repeat."""

    def __init__(self, budget: float, before: Sequence[Shares], after: Sequence[Shares]) -> None:
        Turns.__init__(self, [], {}, budget, budget, 60.0)
        self.costs = {"baseline": before, "target": after}

    def warm_up(self, repository: str = ".") -> dict[str, list[SourceFile]]:
        del repository
        return {side: self.runs(side, 0) for side in self.costs}

    def _record_pair(self) -> None:
        self.count += 1
        for side in self.costs:
            self.took[side] += 5.0
            self.profiles[side] += self.runs(side, self.count)

    def runs(self, side: str, run: int) -> list[SourceFile]:
        costs = self.costs[side][run % len(self.costs[side])]
        source = source_of(f"run-{run}/api.folded", folded(costs, 100 * run + len(side)))
        (profile,) = read_sources([source])
        return [replace(source, profile=cast("None", profile))]


class Counted(Recorded):
    """The same with counts, which are equal in runs of equal costs."""

    def runs(self, side: str, run: int) -> list[SourceFile]:
        costs = self.costs[side][run % len(self.costs[side])]
        text = "".join(f"fn={name}\n1 {cost}\n" for name, cost in costs.items())
        source = source_of(f"run-{run}/api.callgrind", f"# callgrind format\nevents: Ir\n{text}".encode())
        (profile,) = read_sources([source])
        return [replace(source, profile=cast("None", profile))]


def measured(
    before: Shares | Sequence[Shares],
    after: Shares | Sequence[Shares],
    budget: float = 300.0,
    listed: Sequence[Suspect] | None = (PARSE,),
    *,
    widen: bool = False,
    turns: type[Recorded] = Recorded,
) -> Decision:
    sides = [side if isinstance(side, Sequence) else [side] for side in (before, after)]
    given = PipelineInput((), (), policy=Policy(), pages=0)
    return decided(turns(budget, *sides), given, listed, widen=widen)


def red(decision: Decision) -> set[str]:
    return {finding.location.name for *_, finding in decision.built.report.findings if finding.colour == "red"} - {
        "total"
    }


@pytest.mark.parametrize(
    ("before", "after", "runs", "found", "outcome"),
    [
        (SHARES, SLOWER, 10, {"parse"}, "confirmed"),
        (STEADY, STEADY, 10, set(), "not repeated"),  # more runs would not show what is needed
        (SHARES, SHARES | {"parse": 32_000}, 30, set(), "possible"),  # as another placement of the code
    ],
)
def test_measurement_ends_when_each_suspect_is_decided(
    before: Shares, after: Shares, runs: int, found: set[str], outcome: str
) -> None:
    decision = measured(before, after)
    assert (decision.measurement.runs, red(decision)) == (runs, found)
    assert [suspect.outcome for suspect in decision.measurement.suspects] == [outcome]


COUNTS = replace(PARSE, metric="Ir")


@pytest.mark.parametrize(
    ("before", "after", "budget", "runs", "found", "outcome"),
    [
        (SHARES, SHARES, 20.0, 2, set(), "not repeated"),
        (SHARES, SHARES, 300.0, 2, set(), "not repeated"),
        (SHARES, SLOWER, 20.0, 2, {"parse"}, "confirmed"),
        (SHARES, SLOWER, 300.0, 10, {"parse"}, "confirmed"),
        # counts that alternate between two values, and that are equal in the first two runs of each side by chance
        ([SLOWER, SHARES, SHARES, SLOWER], [SHARES, SLOWER, SLOWER, SHARES], 300.0, 10, set(), "not repeated"),
    ],
)
def test_two_equal_runs_decide_about_counts_unless_one_rose(
    before: Shares | Sequence[Shares],
    after: Shares | Sequence[Shares],
    budget: float,
    runs: int,
    found: set[str],
    outcome: str,
) -> None:
    decision = measured(before, after, budget, [COUNTS], turns=Counted)
    assert (decision.measurement.runs, red(decision)) == (runs, found)
    assert [suspect.outcome for suspect in decision.measurement.suspects] == [outcome]


def test_counts_that_differ_between_runs_need_five() -> None:
    unsteady = [SHARES, {name: cost + cost // 100 for name, cost in SHARES.items()}]
    assert measured(unsteady, unsteady, 300.0, [COUNTS], turns=Counted).measurement.runs >= 5
    with pytest.raises(ProfgateError, match="too small"):
        measured(unsteady, unsteady, 20.0, [COUNTS], turns=Counted)


@pytest.mark.parametrize(
    ("listed", "widen", "found"), [(None, False, {"parse"}), ((), True, {"parse"}), ((), False, set())]
)
def test_unlisted_function_is_red_only_as_a_suspect(
    listed: Sequence[Suspect] | None, widen: bool, found: set[str]
) -> None:
    decision = measured(SHARES, SLOWER, listed=listed, widen=widen)
    assert red(decision) == found
    assert decision.measurement.runs >= 8
    assert decision.measurement.suspects == ()


@pytest.mark.parametrize(("budget", "needed"), [(50.0, 100.0), (99.0, 100.0), (100.0, None)])
def test_too_few_runs_state_the_needed_budget(budget: float, needed: float | None) -> None:
    assert measured(SHARES, SHARES | {"parse": 32_100}, budget).measurement.needed == needed


@pytest.mark.parametrize(("jitter", "outcome"), [(0, "confirmed"), (3000, "possible")])
def test_function_whose_counts_differ_needs_more_runs(jitter: int, outcome: str) -> None:
    """The totals of both runs are equal, but not the costs of the function."""
    metric = Metric("instructions", "count", kind=MetricKind.COUNTED)
    runs = [{"f": 1_000_000 + more, "g": 1_000_000 - more, "main": 10_000_000} for more in (0, jitter)]
    slower = [{**run, "f": run["f"] + 500_000, "g": run["g"] - 500_000} for run in runs]
    suspect = Suspect("w", "instructions", Location("f"), listed=True)
    (found,) = outcomes_of([suspect], [from_exclusive(runs, slower, metric=metric)], OF_COUNTS, 20)
    assert found.outcome == outcome
