import json
import re
from typing import Any

import pytest

from page_trees import parts_of_page, unpacked
from profgate.measuring.track.evolution import evolution_of
from profgate.measuring.track.evolution_page import build_evolution_page
from profgate.measuring.track.evolution_text import evolution_json, evolution_lines
from profgate.measuring.track.versions import BenchmarkValue, Evolution, MeasuredVersion, Version
from profgate.model.units import Metric, MetricKind

CALLS = Metric("calls", "count", kind=MetricKind.COUNTED)
TIME = Metric("time", "nanoseconds", kind=MetricKind.TIMED)


def version(name: str, calls: float | None, benchmark: str = "parse") -> MeasuredVersion:
    if calls is None:
        return MeasuredVersion(Version(name, "c" * 40, "Break it"), problem="make failed: no <rule>")
    values = (BenchmarkValue(benchmark, CALLS, calls, source="s"), BenchmarkValue(benchmark, TIME, 1e6, source="s"))
    return MeasuredVersion(
        Version(name, "c" * 40, "Change it"), (values, values), machine="Linux", warnings=("x: odd",)
    )


EVOLUTION = evolution_of(
    "make bench", [version("v1", 100), version("v2", None), version("v3", 150), version("v4", 150), version("v5", 120)]
)


def document(evolution: Evolution, links: dict[int, str] | None = None) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(unpacked(parts_of_page(build_evolution_page(evolution, links))["data"]))
    return content


def test_page_has_columns_and_jumps() -> None:
    content = document(EVOLUTION, {0: "jumps/a.html"})
    assert [one["name"] for one in content["versions"]] == ["v1", "v2", "v3", "v4", "v5"]
    assert content["versions"][1]["problem"] == "make failed: no <rule>"
    calls = content["benchmarks"][0]
    assert (calls["values"], calls["n"], calls["breaks"]) == ([100, None, 150, 150, 120], [2, 0, 2, 2, 2], [])
    assert [(jump["at"], jump["direction"], jump["href"]) for jump in content["jumps"]] == [
        ([0, 2], "worse", "jumps/a.html"),
        ([3, 4], "better", None),
    ]
    assert content["metric"] == "calls"


def test_page_is_one_file_with_strict_policy() -> None:
    page = build_evolution_page(EVOLUTION)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src &#39;none&#39;; script-src &#39;sha256-")
    assert "unsafe" not in policy[1]
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    assert page == build_evolution_page(EVOLUTION)


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "//x.example/a", "/etc/a.html", "../a.html", "a/../../b", "\\\\x"]
)
def test_link_outside_of_the_folder_is_refused(link: str) -> None:
    with pytest.raises(ValueError, match="pass a relative path"):
        build_evolution_page(EVOLUTION, {0: link})


def test_hostile_names_are_text() -> None:
    name = "</script><script>alert(1)</script>\u202e"
    measured = [version(name, 1, name), version("v2", 2, name), version("\ud800", None)]
    page = build_evolution_page(evolution_of(name, measured), {0: "jumps/a.html"})
    assert "<script>alert" not in page
    assert "\u202e" not in page
    page.encode()
    content = document(evolution_of(name, measured))
    assert {one["name"] for one in content["benchmarks"]} == {"</script><script>alert(1)</script>"}


def test_terminal_shows_versions_and_jumps() -> None:
    lines = evolution_lines(EVOLUTION)
    assert lines[0] == ("head", "4 of 5 versions measured, 1 benchmark, calls")
    assert ("warn", "  v2: make failed: no <rule>") in lines
    assert lines[-2:] == [
        ("bad", "▲  parse         v1 → v3  +50.0 %  100 → 150"),
        ("good", "▼  parse         v4 → v5  −20.0 %  150 → 120"),
    ]


def test_json_has_null_for_unknown_values() -> None:
    content = json.loads(evolution_json(EVOLUTION))
    assert content["schema"] == "profgate.evolution/1"
    assert content["benchmarks"][0]["values"] == [100.0, None, 150.0, 150.0, 120.0]
    assert content["versions"][1] == {
        "name": "v2",
        "commit": "c" * 40,
        "subject": "Break it",
        "runs": 0,
        "problem": "make failed: no <rule>",
        "warnings": [],
        "machine": None,
    }
    assert content["jumps"][0]["ratio"] == 0.5
