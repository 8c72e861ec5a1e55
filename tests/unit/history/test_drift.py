"""The drift of a branch since a fixed commit: levels, noise, verdict, steps and their pull requests."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from history_samples import reading
from profgate.history.drift import drift_report, untested
from profgate.history.history_store import HistoryStore, open_history
from profgate.history.trends import levels_of, noise_of
from profgate.model.history import StoredCommit
from profgate.model.policy import DriftRule, Policy
from profgate.model.reason import ReasonCode
from profgate.model.record import replace
from profgate.model.report import MetricReport, Report
from profgate.report.json_report import from_json, to_json
from profgate.report.view import View

RULE = DriftRule("v1")
STEADY = [100.0] * 8
FUNCTIONS = "abcdefghij"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[HistoryStore]:
    with open_history(str(tmp_path), write=True) as opened:
        yield opened


def sha(number: int) -> str:
    return f"{number:02}" * 20


def filled(
    store: HistoryStore,
    costs: list[float],
    functions: dict[int, str] | None = None,
    noise: float = 0.0,
    factors: dict[int, float] | None = None,
) -> dict[str, StoredCommit]:
    """Commits with one run each, whose total is the cost of ten functions; a step is in the function of its commit."""
    chance, own, graph, before = np.random.default_rng(1), dict.fromkeys(FUNCTIONS, costs[0] / 10), {}, costs[0]
    for number, cost in enumerate(costs):
        own[(functions or {}).get(number, "a")] += cost - before
        before, unit = cost, 100 * (factors or {}).get(number, 1.0)
        lines = [f"main;{name} {round(value * unit * chance.normal(1, noise))}" for name, value in own.items()]
        title = f"Change {number} (#{number + 100})" if number % 2 else f"Merge pull request #{number + 100} from a/b"
        graph[sha(number)] = StoredCommit(sha(number), (sha(number - 1),) if number else (), number, title)
        store.add([reading("\n".join(lines) + "\n", sha(number), job=str(number))])
    store.add_commits(graph.values())
    return graph


def drift(store: HistoryStore, graph: dict[str, StoredCommit], start: int = 0) -> Report:
    fixed = [sha(number) for number in range(start + 1)]
    return drift_report(store, graph, max(graph), fixed, RULE, Policy())


def only(report: Report) -> MetricReport:
    ((_, metric),) = report.metrics
    return metric


def test_levels_are_medians_of_neighbours() -> None:
    costs = np.array([100.0, 101, 100, 100, 106, 107, 106])
    assert levels_of(costs).tolist() == [100, 100, 100, 100, 106, 106, 106]
    assert noise_of(costs) == 1
    odd = np.array([100.0, 100, 150, 100, 105, 110, 110, 20])
    assert levels_of(odd).tolist() == [100, 100, 100, 105, 105, 110, 110, 110]


@pytest.mark.parametrize(
    ("costs", "conclusion", "relative"),
    [
        ([*STEADY, 102, 103, 106, 106, 106], "fail", 0.06),
        ([*STEADY, 102, 103, 104, 104, 104], "pass", 0.04),
        ([*STEADY, 100, 100, 100, 100, 150], "pass", 0.0),  # one odd job
        ([*STEADY, 90, 90, 90], "pass", -0.1),
        ([100, 103, 100, 103, 100, 103, 106, 109, 106, 109, 106], "warn", 0.06),  # neighbours differ by 3
    ],
)
def test_drift_fails_beyond_limit_and_noise(
    store: HistoryStore, costs: list[float], conclusion: str, relative: float
) -> None:
    report = drift(store, filled(store, costs))
    assert report.verdict.conclusion == conclusion
    assert report.verdict.exit_code == (conclusion == "fail")
    assert only(report).total.relative == pytest.approx(relative, abs=1e-6)
    assert from_json(to_json(report)) == report


def test_red_drift_states_limit_and_noise(store: HistoryStore) -> None:
    report = drift(store, filled(store, [*STEADY, 103, 104, 107, 107, 107]))
    (finding,) = only(report).findings
    (reason,) = finding.reasons
    assert reason.code is ReasonCode.BEYOND_JOBS
    assert reason.parameters["change"] == pytest.approx(0.07)
    steps = "#108 +3.0 %, #110 +3.0 %, #109 +1.0 %, smaller steps ≈0 %"
    assert View(report).title() == f"Total +7.0 % since v1 (limit 5%): {steps}"


def test_steps_name_pull_requests(store: HistoryStore) -> None:
    steps = {10: ("b", 3.0), 16: ("c", 0.5), 20: ("d", 2.0), 21: ("b", 3.0), 30: ("e", -1.0)}
    costs = [100 + sum(size for place, (_, size) in steps.items() if place <= number) for number in range(40)]
    graph = filled(store, costs, {place: name for place, (name, _) in steps.items()}, noise=0.01)
    metric = only(drift(store, graph))
    found = [step.name for step in metric.steps]
    assert (set(found[:2]), found[2]) == ({"#110", "#121"}, "#120")
    assert [step.relative for step in metric.steps[:3]] == pytest.approx([0.03, 0.03, 0.02], abs=0.006)


@pytest.mark.parametrize("step", [0.0, 1.5], ids=["machines", "machines and many functions"])
def test_machines_are_no_drift_and_hide_none(store: HistoryStore, step: float) -> None:
    costs = [100 + step * min(max(number - 2, 0), 4) for number in range(12)]
    factors = dict(enumerate([1.0, 1.1, 0.9, 1.2, 1.0, 0.8, 1.1, 1.3, 1.2, 0.9, 1.2, 1.2]))
    report = drift(store, filled(store, costs, dict(enumerate("abcd", 3)), factors=factors))
    assert only(report).total.relative == pytest.approx(4 * step / 100, abs=0.001)


def test_faster_machines_of_all_later_jobs_fail_nothing(store: HistoryStore) -> None:
    report = drift(store, filled(store, [100.0] * 12, factors=dict.fromkeys(range(6, 12), 1.1)))
    assert report.verdict.conclusion in {"pass", "warn"}


def test_steps_between_measured_commits_are_not_assigned(store: HistoryStore) -> None:
    graph = filled(store, [*STEADY, 107, 107, 107])
    unmeasured = sha(50)
    graph[unmeasured] = StoredCommit(unmeasured, (sha(7),))
    graph[sha(8)] = replace(graph[sha(8)], parents=(unmeasured,), title="Speed up")
    report = drift_report(store, graph, sha(10), [sha(0)], RULE, Policy())
    assert View(report).title().endswith(f": {sha(7)[:10]}..{sha(8)[:10]} +7.0 %, smaller steps ≈0 %")


def test_drift_begins_at_newest_measured_commit(store: HistoryStore) -> None:
    graph = filled(store, [100.0, 100, 100, 106, 106, 106, 106, 106])
    assert drift(store, graph, start=4).verdict.conclusion == "pass"
    report = drift_report(store, graph, sha(7), ["of another branch", sha(2), sha(1)], RULE, Policy())
    assert (report.verdict.conclusion, report.baseline.sha) == ("fail", sha(2))


@pytest.mark.parametrize(
    ("costs", "fixed"), [([100.0] * 8, []), ([100.0] * 5, [sha(0)])], ids=["no measured commit", "too few"]
)
def test_missing_data_is_not_compared(store: HistoryStore, costs: list[float], fixed: list[str]) -> None:
    graph = filled(store, costs)
    report = drift_report(store, graph, max(graph), fixed, RULE, Policy())
    assert (report.verdict.conclusion, report.verdict.exit_code) == ("not_compared", 3)
    reason = report.verdict.reasons[-1]
    assert [why.code for why in reason.reasons] == [ReasonCode.TEXT]
    required = drift_report(store, graph, max(graph), fixed, RULE, Policy(on_not_compared="fail"))
    assert required.verdict.exit_code == 1


def test_workload_that_is_gone_is_not_compared(store: HistoryStore) -> None:
    graph = filled(store, STEADY)
    store.add([reading("main;f 9\n", sha(0), "gone/1.folded"), reading("main;f 9\n", sha(7), "new/1.folded")])
    report = drift(store, graph)
    (entry,) = report.not_compared
    assert (entry.name, entry.reason.code) == ("gone", ReasonCode.MISSING_IN_TARGET)
    assert {load.name for load in report.workloads} == {"bench"}  # a workload that is new did not drift
    assert report.verdict.conclusion == "not_compared"


def test_untested_drift_states_why() -> None:
    report = untested("there is no published release", sha(0), RULE, Policy())
    assert View(report).title() == "Not compared: since v1: there is no published release"
