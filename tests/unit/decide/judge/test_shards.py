"""Reports of shards as one: names, baselines, warnings, and the tests of all as in one report."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from comparisons import from_exclusive
from judged import BASE, SLOWER, codes, findings, judged
from profgate.decide.judge.shards import Shard, merge_reports
from profgate.errors import ProfgateError
from profgate.model.comparison import Comparison
from profgate.model.links import Links
from profgate.model.policy import Policy
from profgate.model.reason import NotCompared, Side, as_reason
from profgate.model.report import Report
from profgate.report.json_report import links_from_json, links_to_json
from report_samples import metric, nothing_compared, regression, report, texts, workload
from sentences import result_of


def test_workload_of_several_shards_has_their_names() -> None:
    both = workload(metric(), name="api")
    merged, links = merge_reports(
        [
            Shard("linux", report(both, workload(metric(), name="cli")), Links(pages={("api", "cpu"): "https://l"})),
            Shard("mac", report(both), Links(pages={("api", "cpu"): "https://m"})),
        ],
        Policy(),
    )
    assert [one.name for one in merged.workloads] == ["api [linux]", "cli", "api [mac]"]
    assert links.pages == {("api [linux]", "cpu"): "https://l", ("api [mac]", "cpu"): "https://m"}


def test_single_shard_is_judged_as_it_was() -> None:
    alone, _ = merge_reports([Shard("linux", regression())], Policy())
    again, _ = merge_reports([Shard("linux", alone)], Policy())
    assert again == alone


def noisy(workload: str, seed: int, slower: float = 1.0) -> Comparison:
    """A workload of which f07 became slower, among functions that scatter."""
    random = np.random.default_rng(seed)
    runs = [{name: round(random.normal(count, count / 20)) for name, count in BASE.items()} for _ in range(10)]
    target = [{**run, "f07": round(slower * run["f07"])} for run in runs[5:]]
    return from_exclusive(runs[:5], target, workload=workload)


def p_values(report: Report) -> dict[tuple[str, str], Any]:
    return {
        (load.name, change.location.name): result_of(change).p
        for load in report.workloads
        for change in load.metrics[0].changes
        if change.strategy == "calibrated_log_ratio"
    }


@pytest.mark.parametrize("slower", [(1.0, 1.0), (1.0, 1.12), (1.6, 1.12), (1.6, 0.5), (2.0, 2.0)])
def test_shards_have_the_p_of_a_single_report(slower: tuple[float, float]) -> None:
    loads = [noisy(f"w{seed}", seed, factor) for seed, factor in enumerate(slower)]
    together = judged(*loads)
    merged, _ = merge_reports([Shard(f"shard {place}", judged(load)) for place, load in enumerate(loads)], Policy())
    assert p_values(merged) == p_values(together)
    assert merged.verdict.conclusion == together.verdict.conclusion
    (all_of_one,), (all_of_shards,) = together.tests, merged.tests
    assert all_of_shards.first == all_of_one.first


def test_other_shards_make_p_larger() -> None:
    """A change that is certain by itself is one of two that differ as much once a shard with a larger one is there."""
    loads = [noisy(f"w{seed}", seed, factor) for seed, factor in enumerate((1.6, 1.0))]
    shards = [Shard(load.workload, judged(load)) for load in loads]
    (family,) = shards[1].report.tests
    worse, better = ((side[0], 1e6, *side[2:]) for side in family.first)
    rival = worse, better
    louder = replace(shards[1], report=replace(shards[1].report, tests=(replace(family, first=rival, last=rival),)))
    merged = merge_reports([shards[0], louder], Policy())[0]
    assert p_values(merged)["w0", "f07"] == 2 / 252
    assert (findings(merged)["f07"].colour, codes(findings(merged)["f07"])) == ("yellow", ["few_splits"])


def test_shards_with_other_splits_are_refused() -> None:
    report = judged(from_exclusive([BASE] * 5, [SLOWER] * 5))
    (family,) = report.tests
    for maxima in (((1.0,) * 251, (1.0,) * 252), ((), ())):
        other = replace(report, tests=(replace(family, last=maxima),))
        with pytest.raises(ProfgateError, match=r"shard mac: the tests 5\+5 have another number of splits"):
            merge_reports([Shard("linux", report), Shard("mac", other)], Policy())


def test_base_jobs_bound_each_shard_by_itself() -> None:
    report = judged(from_exclusive([BASE], [SLOWER], noise=[BASE] * 8))
    merged, _ = merge_reports([Shard("linux", report), Shard("mac", judged(noisy("other", 1)))], Policy())
    assert codes(findings(merged)["f07"]) == ["beyond_jobs"]


def test_lost_shard_is_not_compared() -> None:
    lost = NotCompared("shards", None, "both", as_reason("a shard ended with failure"))
    merged, _ = merge_reports([Shard("linux", report(workload(metric())))], Policy(), [lost])
    assert merged.verdict.conclusion == "not_compared"
    assert merged.not_compared[0] == lost


def test_empty_shard_is_not_compared() -> None:
    silent = replace(report(), verdict=nothing_compared().verdict)
    merged, _ = merge_reports([Shard("linux", report(workload(metric()))), Shard("mac", silent)], Policy())
    assert merged.verdict.conclusion == "not_compared"
    assert [one.name for one in merged.not_compared] == ["mac"]


def test_shards_of_different_builds_are_refused() -> None:
    other = replace(report(workload(metric())), target=Side("pull request", "f" * 40))
    with pytest.raises(ProfgateError, match=r"shard mac: is a report of f+"):
        merge_reports([Shard("linux", report(workload(metric()))), Shard("mac", other)], Policy())


def test_no_shard_is_refused() -> None:
    with pytest.raises(ProfgateError, match="give at least one"):
        merge_reports([], Policy())


def test_the_farthest_baseline_counts_and_each_is_named() -> None:
    far = replace(report(workload(metric())), baseline=Side("main", "d" * 40, distance=1))
    merged, _ = merge_reports([Shard("linux", report(workload(metric()))), Shard("mac", far)], Policy())
    assert merged.baseline.distance == 1
    (warning,) = texts(merged.warnings)
    assert "different baselines" in warning
    assert f"mac {'d' * 12} (distance 1)" in warning


def test_warnings_appear_once_with_their_shard() -> None:
    merged, _ = merge_reports(
        [
            Shard("linux", report(workload(metric()), warnings=("old image", "slow disk"))),
            Shard("mac", report(workload(metric()), warnings=("old image",))),
        ],
        Policy(),
        warnings=[as_reason("old image"), as_reason("policy changed")],
    )
    assert texts(merged.warnings) == ["old image", "linux: slow disk", "policy changed"]


def test_links_make_the_round_trip() -> None:
    links = Links(pages={("a\nb", "cpu|x"): "https://x"}, report="https://r", run="https://run")
    assert links_from_json(links_to_json(links)) == links


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"schema": "profgate.links/1"}', '{"schema": "profgate.links/2", "pages": []}', "[" * 9999],
)
def test_what_are_no_links_is_refused(text: str) -> None:
    with pytest.raises(ProfgateError, match="does not have profgate's format"):
        links_from_json(text)
