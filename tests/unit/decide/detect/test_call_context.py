"""Golden states (read by the page's tests too), moves, contexts and what the strategy says of sources."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparisons import from_exclusive, from_stacks, timed
from profgate.decide.detect.call_context import CallContext
from profgate.model.attribution import SourceState, SourceStates
from profgate.model.change import Context, Detection, Kind
from profgate.model.comparison import Comparison
from profgate.model.units import Metric, MetricKind
from sentences import details_of, not_tested

GOLDEN = json.loads((Path(__file__).parents[3] / "data" / "contexts" / "states.json").read_text())
STACKS = st.dictionaries(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(";".join), st.integers(1, 50), min_size=1, max_size=12
)


def detected(
    baseline: dict[str, int], target: dict[str, int], *, sources: dict[str, SourceState] | None = None, **options: Any
) -> tuple[Comparison, Detection]:
    comparison = from_stacks([baseline], [target], metric=timed())
    states = None
    if sources is not None:
        names = comparison.symbols.names
        nothing = (None,) * len(names)
        states = SourceStates(tuple(sources.get(name, "unknown") for name in names), nothing, nothing)
    return comparison, CallContext().detect(comparison, options, Context(source_states=states))


def path(comparison: Comparison, node: int) -> str:
    tree, names = comparison.tree, []
    assert tree is not None
    while node > 0:
        names.append(comparison.symbols.names[tree.symbol[node]])
        node = int(tree.parent[node])
    return ";".join(reversed(names))


def rows(found: tuple[Comparison, Detection]) -> dict[str, str]:
    comparison, detection = found
    assert detection.node is not None
    kinds = (Kind(kind).word for kind in detection.kind.tolist())
    return dict(zip((path(comparison, node) for node in detection.node.tolist()), kinds, strict=True))


def golden_comparison(case: dict[str, Any], context: dict[str, Any]) -> Comparison:
    """The context below the root, and ``rest`` beside it that makes up the total, spread over the runs."""
    sides: list[list[dict[str, int]]] = []
    for runs, total, value in zip(case["runs"], case["totals"], (context["before"], context["after"]), strict=True):
        stacks = {"rest": total - value, **({"f": value} if value else {})}
        sides.append([stacks, *({"rest": 0} for _ in range(runs - 1))])
    unit = "samples" if case["samples"] else "nanoseconds"
    metric = Metric("cost", unit, case["better"], MetricKind.SAMPLED if case["samples"] else MetricKind.TIMED)
    period = case["totals"][0] // case["samples"][0] if case["samples"] else None
    return from_stacks(*sides, metric=metric, period=period)


@pytest.mark.parametrize(
    ("case", "context"),
    [
        pytest.param(case, context, id=f"{case['name'].split(':')[0]}: {context['before']} -> {context['after']}")
        for case in GOLDEN["cases"]
        for context in case["contexts"]
    ],
)
def test_golden_states(case: dict[str, Any], context: dict[str, Any]) -> None:
    comparison = golden_comparison(case, context)
    number = comparison.symbols.names.index("f")
    states: tuple[SourceState, ...] = tuple(
        context["source"] if name == "f" else "unknown" for name in comparison.symbols.names
    )
    found = CallContext().detect(
        comparison, GOLDEN["rule"], Context(source_states=SourceStates(states, (None, None), (None, None)))
    )
    kinds = dict(zip(found.symbol.tolist(), found.kind.tolist(), strict=True))
    assert (number in kinds) == context["listed"]
    if number in kinds:
        row = found.symbol.tolist().index(number)
        assert details_of(found).shift[row] == pytest.approx(context["shift"], abs=1e-12)
        assert details_of(found).threshold[row] == pytest.approx(context["threshold"], abs=1e-7)
        assert Kind(kinds[number]).word == context["kind"]


def test_one_function_in_two_contexts_is_two_rows() -> None:
    found = detected({"main;a;f": 10, "main;b;f": 50, "main": 40}, {"main;a;f": 20, "main;b;f": 50, "main": 40})
    assert rows(found) == {"main;a": "MaybeDegradation", "main;a;f": "MaybeDegradation"}


def test_shares_and_costs_are_those_of_the_tree() -> None:
    comparison, detection = detected({"main;f": 20, "main;g": 80}, {"main;f": 60, "main;g": 80})
    assert rows((comparison, detection)) == {"main;f": "MaybeDegradation"}
    assert (detection.from_value.tolist(), detection.to_value.tolist()) == ([20.0], [60.0])
    assert details_of(detection).shift.tolist() == pytest.approx([60 / 140 - 0.2])
    assert details_of(detection).calls_from is None


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("changed", "SevereDegradation"),
        ("added", "SevereDegradation"),
        ("same", "MaybeDegradation"),
        ("renamed", "MaybeDegradation"),
        ("unknown", "MaybeDegradation"),
    ],
)
def test_changed_source_is_more_than_a_maybe(state: SourceState, kind: str) -> None:
    comparison, detection = detected({"f": 20, "g": 80}, {"f": 60, "g": 80}, sources={"f": state})
    assert rows((comparison, detection)) == {"f": kind}


def test_calls_are_stated_where_they_are_exact() -> None:
    comparison = from_stacks([{"f": 20, "g": 80}], [{"f": 60, "g": 80}], metric=timed(), calls=(3, 5))
    found = CallContext().detect(comparison, {}, Context())
    assert (details_of(found).calls_from.tolist(), details_of(found).calls_to.tolist()) == ([3.0], [5.0])


@given(STACKS, STACKS)
def test_swapped_sides_mirror_every_row(baseline: dict[str, int], target: dict[str, int]) -> None:
    there = rows(detected(baseline, target))
    back = rows(detected(target, baseline))
    mirrored = {Kind(kind).word: Kind(-kind).word for kind in (-1, 1, -5, 5)}
    assert back == {place: mirrored[kind] for place, kind in there.items()}


@pytest.mark.parametrize(
    ("comparison", "reason"),
    [
        (from_exclusive([{"f": 1}], [{"f": 2}]), "no_stacks"),
        (from_stacks([{"f": 0}], [{"f": 2}]), "no_shares"),
        (from_stacks([{"f": 3}], [{"f": 0}]), "no_shares"),
    ],
)
def test_reason_why_not_tested(comparison: Comparison, reason: str) -> None:
    found = CallContext().detect(comparison, {}, Context())
    assert not_tested(found) == reason
    assert len(found.kind) == 0
