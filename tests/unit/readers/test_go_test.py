import json
from pathlib import Path

import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.benchmarks.go_test import FORMAT
from result_rows import means

RECORDED = Path(__file__).parents[2] / "data" / "go-test" / "go-1.19.8.json"


def read(*events: dict[str, object] | str) -> Profile:
    lines = (event if isinstance(event, str) else json.dumps(event) for event in events)
    return FORMAT.read(source_of("a.json", "\n".join(lines).encode()))


def ended(test: str | None, seconds: float = 1.0, action: str = "pass") -> dict[str, object]:
    return {"Action": action, "Package": "shop", "Elapsed": seconds} | ({"Test": test} if test else {})


def test_a_recorded_file_has_subtests_without_parents() -> None:
    found = FORMAT.read(source_of("a.json", RECORDED.read_bytes()))
    assert {name: round(mean / 1e6) for name, mean in means(found).items()} == {
        "shop.TestQuick": 0,
        "shop.TestWaits/short": 30,
        "shop.TestWaits/long": 40,
        "shop.TestFails": 10,
    }
    assert list(found.warning_counts.values()) == [1]
    assert found.measurements is not None
    assert not found.measurements.scenarios


def test_tests_of_one_name_in_two_packages_are_two() -> None:
    other = ended("TestA", 2.0) | {"Package": "cart"}
    assert means(read(ended("TestA"), other, ended(None))) == {"shop.TestA": 1e9, "cart.TestA": 2e9}


def test_what_others_print_between_the_lines_is_passed_over() -> None:
    assert means(read("# shop", "go: downloading", ended("TestA"), ended(None))) == {"shop.TestA": 1e9}


def test_cached_results_and_cut_off_runs_are_warnings() -> None:
    cached: dict[str, object] = {"Action": "output", "Package": "shop", "Output": "ok  \tshop\t(cached)\n"}
    assert list(read(ended("TestA"), cached, ended(None)).warning_counts.values()) == [1]
    assert list(read(ended("TestA"), {"Action": "start", "Package": "b"}).warning_counts.values()) == [1]


def test_output_of_benchmarks_is_read_as_benchmarks() -> None:
    output = ["goos: linux\n", "pkg: shop\n", "BenchmarkAdd-8 \t", "  100\t 12.0 ns/op\t 16 B/op\t 1 allocs/op\n"]
    events: list[dict[str, object]] = [
        {"Action": "output", "Package": "shop", "Output": text} for text in (*output, "PASS\n")
    ]
    found = read({"Action": "start", "Package": "shop"}, *events, ended("TestA"), ended(None))
    assert [metric.name for metric in found.metrics] == ["time", "allocated", "allocations"]
    assert found.frames.names == ["shop.BenchmarkAdd"]
    assert (found.facts.format, found.facts.os) == ("go-benchmark", "linux")
    assert list(found.warning_counts.values()) == [1]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ({"Action": "pass", "Package": "shop", "Test": "TestA"}, "'None', which cannot be measured"),
        (ended("TestA", -1.0), "cannot be measured"),
        ('{"Action": "pass"', "is not JSON"),
    ],
)
def test_a_broken_line_is_refused_with_its_number(line: dict[str, object] | str, what: str) -> None:
    with pytest.raises(ProfileError, match=rf"a.json:2: .*{what}"):
        read(ended("TestB"), line)
