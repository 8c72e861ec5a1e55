"""Reports of shards as one: names, baselines, warnings, and the tests of all as in one report."""

import pytest

from comparisons import from_exclusive
from judged import BASE, SLOWER, codes, findings, judged
from profgate.decide.judge.shards import Shard, merge_reports
from profgate.decide.judge.verdict import judge
from profgate.errors import ProfgateError
from profgate.model.links import Links
from profgate.model.policy import Policy
from profgate.model.reason import NotCompared, Side, as_reason
from profgate.model.record import replace
from profgate.report.json_report import links_from_json, links_to_json
from report_samples import metric, nothing_compared, regression, report, texts, workload


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


@pytest.mark.parametrize(
    ("shards", "runs", "colour"), [(2, 5, "red"), (3, 5, "yellow"), (9, 6, "red"), (10, 6, "yellow")]
)
def test_shards_share_the_level_of_red(shards: int, runs: int, colour: str) -> None:
    """The most extreme of 252 and of 924 divisions is red in two and in nine shards."""
    calm, slower = (judged(from_exclusive([BASE] * runs, [after] * runs)) for after in (BASE, SLOWER))
    reports = [slower, *[calm] * (shards - 1)]
    merged, _ = merge_reports([Shard(f"shard {place}", one) for place, one in enumerate(reports)], Policy())
    assert merged.verdict.colour == colour
    assert judge(merged, Policy()) == merged


def test_base_jobs_bound_each_shard_by_itself() -> None:
    report = judged(from_exclusive([BASE], [SLOWER], noise=[BASE] * 8))
    merged, _ = merge_reports(
        [Shard("linux", report), Shard("mac", judged(from_exclusive([BASE] * 5, [BASE] * 5, workload="other")))],
        Policy(),
    )
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
