from dataclasses import replace

import pytest

from profgate.errors import ProfgateError
from profgate.judge.legs import Leg, as_one
from profgate.model.links import Links
from profgate.model.policy import Policy
from profgate.model.report import NotCompared, Side
from profgate.report.links_json import links_from_json, links_to_json
from report_samples import metric, nothing_compared, regression, report, workload


def test_a_workload_of_several_legs_carries_their_names() -> None:
    both = workload(metric(), name="api")
    merged, links = as_one(
        [
            Leg("linux", report(both, workload(metric(), name="cli")), Links(pages={("api", "cpu"): "https://l"})),
            Leg("mac", report(both), Links(pages={("api", "cpu"): "https://m"})),
        ],
        Policy(),
    )
    assert [one.name for one in merged.workloads] == ["api [linux]", "cli", "api [mac]"]
    assert links.pages == {("api [linux]", "cpu"): "https://l", ("api [mac]", "cpu"): "https://m"}


def test_one_leg_is_judged_as_it_was() -> None:
    alone, _ = as_one([Leg("linux", regression())], Policy())
    again, _ = as_one([Leg("linux", alone)], Policy())
    assert again == alone


def test_a_lost_leg_is_not_compared() -> None:
    lost = NotCompared("legs", None, "both", "a leg ended with failure")
    merged, _ = as_one([Leg("linux", report(workload(metric())))], Policy(), [lost])
    assert merged.verdict.conclusion == "not_compared"
    assert merged.not_compared[0] == lost


def test_a_leg_that_compared_nothing_does_not_vanish() -> None:
    silent = replace(report(), verdict=nothing_compared().verdict)
    merged, _ = as_one([Leg("linux", report(workload(metric()))), Leg("mac", silent)], Policy())
    assert merged.verdict.conclusion == "not_compared"
    assert [one.name for one in merged.not_compared] == ["mac"]


def test_legs_of_different_builds_are_no_report() -> None:
    other = replace(report(workload(metric())), target=Side("pull request", "f" * 40))
    with pytest.raises(ProfgateError, match=r"leg mac: is of commit f+"):
        as_one([Leg("linux", report(workload(metric()))), Leg("mac", other)], Policy())


def test_without_legs_there_is_no_report() -> None:
    with pytest.raises(ProfgateError, match="give at least one"):
        as_one([], Policy())


def test_the_farthest_baseline_counts_and_each_is_named() -> None:
    far = replace(report(workload(metric())), baseline=Side("main", "d" * 40, distance=3))
    merged, _ = as_one([Leg("linux", report(workload(metric()))), Leg("mac", far)], Policy())
    assert merged.baseline.distance == 3
    (told,) = merged.warnings
    assert "different baselines" in told
    assert f"mac {'d' * 12} (distance 3)" in told


def test_warnings_are_told_once_and_with_their_leg() -> None:
    merged, _ = as_one(
        [
            Leg("linux", report(workload(metric()), warnings=("old image", "slow disk"))),
            Leg("mac", report(workload(metric()), warnings=("old image",))),
        ],
        Policy(),
        told=["old image", "policy changed"],
    )
    assert merged.warnings == ("old image", "linux: slow disk", "policy changed")


def test_links_make_the_round_trip() -> None:
    links = Links(pages={("a\nb", "cpu|x"): "https://x"}, report="https://r", run="https://run")
    assert links_from_json(links_to_json(links)) == links


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"schema": "profgate.links/1"}', '{"schema": "profgate.links/2", "pages": []}', "[" * 9999],
)
def test_what_are_no_links_is_refused(text: str) -> None:
    with pytest.raises(ProfgateError, match="is not as profgate writes it"):
        links_from_json(text)
