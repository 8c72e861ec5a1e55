"""Which changed functions no workload measured."""

import marshal
from collections.abc import Mapping

import pytest

from comparisons import from_exclusive
from folder_diffs import folder_diff
from judged import BASE, judged
from profgate import pipeline
from profgate.decide.judge.verdict import judge
from profgate.model.blind_spots import BlindSpots, of_all_shards
from profgate.model.change import Location
from profgate.model.policy import OnBlindSpots, Policy
from profgate.model.record import replace
from profgate.model.report import Report
from profgate.model.source import SourceFile, source_of
from profgate.pipeline import PipelineInput
from profgate.report.json_report import from_json, to_json
from profgate.report.statements import blind_spots

CART = "src/cart.py"
BEFORE = "def total(items):\n    return sum(items)\n\ndef old():\n    pass\n"
AFTER = (
    "def total(items):\n    return sum(sorted(items))\n\n"
    "class Retry:\n    def __init__(self):\n        self.count = 1\n\n"
    "class Url:\n    def __init__(self):\n        self.key = lambda item: item[1]\n"
)
STACKS = "main (src/main.py:1);total (src/cart.py:2) {}\n"
TESTS = {"tests/test_cart.py": "def test_total():\n    pass\n"}


def report_of(
    stacks: str, after: Mapping[str, str], before: Mapping[str, str] | None = None, policy: Policy | None = None
) -> Report:
    """Report on two runs of each side with the same stacks."""
    runs = [source_of(f"a.{run}.folded", stacks.encode()) for run in (1, 2)]
    diff = folder_diff(before or {CART: BEFORE}, after, frozenset({*after, "src/main.py"}))
    return pipeline.compare(PipelineInput(runs, runs, diff=diff, pages=0, policy=policy or Policy())).report


def names(spots: BlindSpots | None) -> tuple[list[str], list[str], list[str]]:
    assert spots is not None
    missed, unknown, unseen = (
        [location.name for location in some] for some in (spots.missed, spots.unknown, spots.unseen)
    )
    return missed, unknown, unseen


def test_samples_state_the_share_that_they_can_miss() -> None:
    report = report_of(STACKS.format(500), {CART: AFTER, **TESTS})
    spots = report.blind_spots
    # the removed function and the test do not count
    assert names(spots) == (["Retry.__init__", "Url.__init__", "Url.__init__.<lambda>"], [], [])
    assert spots is not None
    assert (spots.changed, spots.measured) == (4, 1)
    assert spots.share == pytest.approx(1 - 0.05**0.001)
    assert (1 - spots.share) ** 1000 == pytest.approx(0.05)
    assert blind_spots(report, lambda name: f"`{name}`") == (
        "`Retry.__init__ (cart.py:5)`, `Url.__init__ (cart.py:9)`, and 1 more function were not measured, or take less "
        "than 0.3 % of a run"
    )
    assert from_json(to_json(report)).blind_spots == spots


def pstats_of(name: str, *functions: tuple[str, int, str]) -> SourceFile:
    return source_of(name, marshal.dumps({function: (1, 1, 0.5, 0.5, {}) for function in functions}))


def test_counts_prove_which_function_of_one_name_ran() -> None:
    after, total, url = {CART: AFTER}, (f"/w/{CART}", 1, "total"), (f"/w/{CART}", 9, "__init__")
    generated = ("<string>", 5, "__init__")  # a method of a data class, which has no file
    old, new = ([pstats_of("a.pstats", total, *more)] for more in ((), (url, generated)))
    diff = folder_diff({CART: BEFORE}, after, frozenset(after))
    spots = pipeline.compare(PipelineInput(old, new, diff=diff, pages=0)).report.blind_spots
    assert names(spots) == (["Retry.__init__", "Url.__init__.<lambda>"], [], [])
    assert spots is not None
    assert spots.share == 0.0


RUST = "fn parse(text: &str) -> usize {\n    text.len()\n}\n"


INIT = STACKS.format(9) + "main (src/main.py:1);__init__{} 5\n"
TWO, ONLY_TOTAL = ["__init__", "__init__"], AFTER.partition("class")[0]


@pytest.mark.parametrize(
    ("stacks", "after", "expected"),
    [
        # a symbol without a file may be any function of its name, and a line decides between two of one file
        (INIT.format(""), {CART: AFTER}, ([], [*TWO, "<lambda>"], [])),
        (INIT.format(" (src/cart.py)"), {CART: AFTER}, (["<lambda>"], TWO, [])),
        (INIT.format(" (src/cart.py:6)"), {CART: AFTER}, (["<lambda>"], TWO[:1], [])),
        # a compiler may have inlined the function, and no profile shows functions of another language
        ("main (src/main.rs:1);run (src/main.rs:9) 90\n", {"src/a.rs": RUST, "src/main.rs": ""}, ([], ["parse"], [])),
        (STACKS.format(9), {"src/a.rs": RUST, CART: ONLY_TOTAL}, ([], [], ["parse"])),
        # names without any file show no language
        ("main;total 50\n", {CART: ONLY_TOTAL}, ([], [], ["total"])),
    ],
)
def test_what_a_profile_cannot_show_is_unknown(
    stacks: str, after: Mapping[str, str], expected: tuple[list[str], list[str], list[str]]
) -> None:
    missed, unknown, unseen = names(report_of(stacks, after).blind_spots)
    assert tuple([name.rpartition(".")[2] for name in some] for some in (missed, unknown, unseen)) == expected


def test_shards_miss_what_none_of_them_measured() -> None:
    first, second, third = (Location(name, CART, line) for line, name in enumerate("abc"))
    shards = [BlindSpots(4, (first, second, third), share=0.01), BlindSpots(4, (first,), (second,), share=0.0)]
    assert of_all_shards(shards) == BlindSpots(4, (first,), (second,), share=0.01)
    other_language = BlindSpots(4, unseen=(first, second, third), complete=False)
    assert of_all_shards([shards[1], other_language]) == BlindSpots(4, (first,), (second,), complete=False)


@pytest.mark.parametrize(
    ("policy", "change", "conclusion", "code"),
    [
        ("pass", {}, "pass", 0),
        ("warn", {}, "warn", 0),
        ("fail", {}, "fail", 1),
        ("fail", {"missed": ()}, "pass", 0),
        ("fail", {"missed": (), "complete": False}, "fail", 1),
        ("warn", {"missed": (), "complete": False}, "warn", 0),
    ],
)
def test_policy_decides_about_blind_spots(
    policy: OnBlindSpots, change: Mapping[str, object], conclusion: str, code: int
) -> None:
    spots = BlindSpots(4, **{"missed": (Location("retry", CART, 4),), **change})  # type: ignore[arg-type]
    draft = replace(judged(from_exclusive([BASE] * 5, [BASE] * 5)), blind_spots=spots)
    verdict = judge(draft, Policy(on_blind_spots=policy)).verdict
    assert (verdict.conclusion, verdict.exit_code) == (conclusion, code)
