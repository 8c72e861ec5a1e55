"""Where walks down the calls that carry a change end."""

import pytest

from comparisons import Stacks, from_stacks
from profgate.attribution.call_links import walked_causes
from profgate.model.comparison import Comparison


def ends(comparison: Comparison, factor: float = 1.0, *, fallen: bool = False) -> dict[str, str]:
    """Names with the end of their walk, for those that go anywhere."""
    found, names = walked_causes(comparison, factor=factor), comparison.symbols.names
    end = found.fallen if fallen else found.grown
    return {names[place]: names[last] for place, last in enumerate(end.tolist()) if last != place}


QUIET = {f"main;calm{place}": 1000 for place in range(5)}


def compared(baseline: Stacks, target: Stacks) -> Comparison:
    return from_stacks([{**QUIET, **baseline}], [{**QUIET, **target}])


def test_callers_lead_to_the_callee_that_explains_their_change() -> None:
    baseline = {"main;serve;parse;lex": 1000, "main;serve;write": 1000}
    comparison = compared(baseline, {**baseline, "main;serve;parse;lex": 2000})
    assert ends(comparison) == {"main": "lex", "serve": "lex", "parse": "lex"}
    assert ends(comparison, fallen=True) == {}


def test_a_walk_ends_where_several_callees_share_the_change() -> None:
    baseline = {"main;serve;a": 1000, "main;serve;b": 1000}
    comparison = compared(baseline, {"main;serve;a": 1700, "main;serve;b": 1400})
    assert ends(comparison) == {"main": "serve"}


def test_slower_machine_is_no_cause() -> None:
    baseline = {"main;serve;parse": 1000, "main;serve;write": 1000}
    slower = {stack: count * 3 for stack, count in {**QUIET, **baseline}.items()}
    comparison = from_stacks([{**QUIET, **baseline}], [slower])
    assert ends(comparison, 3.0) == {}
    grown = from_stacks([{**QUIET, **baseline}], [{**slower, "main;serve;parse": 9000}])
    assert ends(grown, 3.0)["main"] == "parse"


def test_calls_in_a_circle_end_at_one_of_them() -> None:
    comparison = compared({"main;a;b;a;b": 1000}, {"main;a;b;a;b": 3000})
    found = ends(comparison)
    assert set(found.values()) <= {"a", "b"}
    assert len(set(found.values())) == 1


LIBC = "(/usr/lib/libc.so.6)"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("main;serve;lookup", "lookup"),
        (f"main;serve;lookup;compare {LIBC}", "lookup"),
        ("main", f"memcmp {LIBC}"),  # the function of nearly the whole run explains nothing
    ],
)
def test_function_of_a_library_leads_to_its_caller_in_the_project(path: str, expected: str) -> None:
    stack = f"{path};memcmp {LIBC}"
    found = ends(compared({stack: 1000}, {stack: 4000}))
    assert found.get(f"memcmp {LIBC}", f"memcmp {LIBC}") == expected
    assert found.get("serve", "lookup") == "lookup"


def test_library_that_several_functions_call_more_leads_nowhere() -> None:
    names = [f"main;{name};memcmp {LIBC}" for name in "abc"]
    found = ends(compared(dict.fromkeys(names, 500), dict.fromkeys(names, 1500)))
    assert f"memcmp {LIBC}" not in found
