"""Names of one side that the sources say are one function."""

from dataclasses import replace

from comparisons import from_exclusive
from folder_diffs import folder_diff
from profgate.attribution.fingerprints import parsed_source
from profgate.attribution.function_changes import function_changes
from profgate.attribution.identity import paired_functions
from profgate.attribution.source_states import Sides
from profgate.model.comparison import Symbols

BEFORE = "def match(tokens):\n    return any(one.fits(tokens, here=True) for one in tokens)\n"
AFTER = "def matches(tokens):\n    return any(one.fits(tokens, here=True) for one in tokens)\n"


def pairs(old: str, new: str, *, line: int) -> dict[str, str]:
    """The names paired where the baseline has only ``old`` and the target only ``new``, at a line of the file."""
    made = from_exclusive([{"0": 10}], [{"1": 10}])
    symbols = Symbols([old, new], ["m.py", "m.py"], [line, line], [None, None], [old, new])
    made = replace(made, symbols=symbols)
    diff = folder_diff({"m.py": BEFORE}, {"m.py": AFTER}, frozenset({"m.py"}))
    found = paired_functions(made, Sides(made, diff, function_changes(diff, parsed_source)))
    return {item[0]: other[0] for item, other in found.items()}


def test_an_equal_body_under_another_name_is_one_function() -> None:
    assert pairs("match", "matches", line=2) == {"match": "matches"}


def test_a_comprehension_is_not_the_function_around_it() -> None:
    assert pairs("<genexpr>", "matches", line=2) == {}
    assert pairs("match", "<genexpr>", line=2) == {}
