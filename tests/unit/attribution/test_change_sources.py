"""Which changed function explains the change of another function."""

import pytest

from comparisons import Stacks, from_stacks
from profgate.attribution.call_links import explained, sources_of
from profgate.model.attribution import SourceState, SourceStates
from profgate.model.comparison import Comparison
from profgate.model.record import replace

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
    nothing = (None,) * len(names)
    sources, _ = sources_of(comparison, SourceStates(every * len(names), nothing, nothing))
    assert {names[source] for source in sources} == {"run", "render"}


CALLEE = {"main;run;render;malloc": 300}
CALLER = {"main;run;render": 300, "main;run;write;malloc": 200}
APART = {"main;run;render": 300, "malloc": 300}
RUN = {"main;run;render": 200, "main;run;malloc": 150}
LIBRARY = {"malloc": "/usr/lib/libc.so.6"}


@pytest.mark.parametrize(
    ("target", "growths", "changed", "modules", "found"),
    [
        (CALLEE, {"malloc": 300}, {"render"}, {}, {"malloc": "render"}),
        (CALLEE, {"malloc": 300}, {"render", "malloc"}, {}, {}),
        (CALLEE, {"malloc": 300}, set(), {}, {}),
        ({**CALLEE, "main;run;write;malloc": 300}, {"malloc": 500}, {"render"}, {}, {}),  # it grew elsewhere too
        (CALLER, {"run": 300}, {"render"}, {}, {"run": "render"}),  # most of the change of a caller
        (CALLER, {"run": 300}, {"write"}, {}, {}),
        ({"main;run;render": 500, "main;run;write;malloc": 10}, {"malloc": -90, "render": 400}, {"render"}, {}, {}),
        # a library without callers, and libraries as a part of the changed callee
        (APART, {"malloc": 300, "render": 200}, {"render"}, LIBRARY, {"malloc": "render"}),
        (APART, {"malloc": 300, "render": 200}, {"render"}, {"malloc": "/home/bench"}, {}),
        (RUN, {"run": 250}, {"render"}, {}, {}),
        (RUN, {"run": 250}, {"render"}, LIBRARY, {"run": "render"}),
    ],
)
def test_changed_functions_explain_others(
    target: Stacks, growths: dict[str, float], changed: set[str], modules: dict[str, str], found: dict[str, str]
) -> None:
    comparison = compared({**BEFORE, **target}, modules)
    assert explanations(comparison, growths, {"run"} & growths.keys(), changed) == found
