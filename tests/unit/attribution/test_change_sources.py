"""Which changed function explains the change of another function."""

from dataclasses import replace

import pytest

from comparisons import Stacks, from_stacks
from profgate.attribution.call_links import explained, sources_of
from profgate.model.attribution import SourceState, SourceStates
from profgate.model.comparison import Comparison

BEFORE = {"main;run;render": 100, "main;run;write;malloc": 100, "main;idle": 1000}


def compared(target: Stacks, modules: dict[str, str] | None = None) -> Comparison:
    found = from_stacks([BEFORE], [target])
    known = [(modules or {}).get(name) for name in found.symbols.names]
    return replace(found, symbols=replace(found.symbols, modules=known))


def explanations(
    comparison: Comparison, growths: dict[str, float], wide: set[str], changed: set[str]
) -> dict[str, str]:
    names = comparison.symbols.names
    tested = {names.index(name): growth for name, growth in growths.items()}
    sources = {names.index(name) for name in changed}
    found = explained(comparison, tested, set(map(names.index, wide)), sources, sources, 1.0)
    return {names[symbol]: names[source] for (symbol, _), source in found.items()}


def test_function_of_the_whole_run_explains_nothing() -> None:
    comparison = compared({**BEFORE, "main;run;render": 300})
    names = comparison.symbols.names
    every: tuple[SourceState, ...] = ("changed",)
    sources, _ = sources_of(comparison, replace(SourceStates.unknown(len(names)), states=every * len(names)))
    assert {names[source] for source in sources} == {"run", "render"}


def test_callee_of_a_changed_function_is_explained() -> None:
    comparison = compared({**BEFORE, "main;run;render;malloc": 300})
    assert explanations(comparison, {"malloc": 300}, set(), {"render"}) == {"malloc": "render"}
    assert explanations(comparison, {"malloc": 300}, set(), {"render", "malloc"}) == {}
    assert explanations(comparison, {"malloc": 300}, set(), set()) == {}


def test_growth_elsewhere_is_not_explained() -> None:
    comparison = compared({**BEFORE, "main;run;render;malloc": 300, "main;run;write;malloc": 300})
    assert explanations(comparison, {"malloc": 500}, set(), {"render"}) == {}


def test_caller_is_explained_by_most_of_its_change() -> None:
    comparison = compared({**BEFORE, "main;run;render": 300, "main;run;write;malloc": 200})
    assert explanations(comparison, {"run": 300}, {"run"}, {"render"}) == {"run": "render"}
    assert explanations(comparison, {"run": 300}, {"run"}, {"write"}) == {}


def test_falling_cost_is_not_explained_by_rising_cost() -> None:
    comparison = compared({**BEFORE, "main;run;render": 500, "main;run;write;malloc": 10})
    assert explanations(comparison, {"malloc": -90, "render": 400}, set(), {"render"}) == {}


@pytest.mark.parametrize(("module", "found"), [("/usr/lib/libc.so.6", {"malloc": "render"}), ("/home/bench", {})])
def test_library_without_callers_is_explained(module: str, found: dict[str, str]) -> None:
    comparison = compared({**BEFORE, "main;run;render": 300, "malloc": 300}, {"malloc": module})
    assert explanations(comparison, {"malloc": 300, "render": 200}, set(), {"render"}) == found


def test_libraries_count_for_the_changed_callee() -> None:
    target = {**BEFORE, "main;run;render": 200, "main;run;malloc": 150}
    assert explanations(compared(target), {"run": 250}, {"run"}, {"render"}) == {}
    comparison = compared(target, {"malloc": "libc.so.6"})
    assert explanations(comparison, {"run": 250}, {"run"}, {"render"}) == {"run": "render"}
