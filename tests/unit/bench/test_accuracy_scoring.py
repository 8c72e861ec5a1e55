"""The lab's arithmetic: intervals, the peers' rules, the page's verdict on them, and plants in real sources."""

import json
from typing import Any

import numpy as np
import pytest
from bench.accuracy.lab import RECORDINGS, ROOT
from bench.accuracy.page import recorded_parts, rivals
from bench.accuracy.peers import RULES, Sides, mann_whitney_p
from bench.accuracy.recording import RecordError, with_loop
from bench.accuracy.results import ORDINARY
from bench.accuracy.scoring import JUDGE, Result, Tally, Word, wilson
from bench.accuracy.targets import release_targets, upper_bound
from scipy.stats import binom, binomtest, mannwhitneyu, ttest_ind

RANDOM = np.random.default_rng(1)
HERE = frozenset([("w", "parse")])


@pytest.mark.parametrize(("hits", "tried"), [(0, 299), (3, 50), (50, 50)])
def test_intervals_are_wilsons(hits: int, tried: int) -> None:
    wanted = binomtest(hits, tried).proportion_ci(method="wilson")
    assert wilson(hits, tried) == pytest.approx((wanted.low, wanted.high))


def test_no_red_among_299_is_the_first_to_promise_one_percent() -> None:
    assert upper_bound(0, 299) < 0.01 < upper_bound(0, 298)
    assert upper_bound(1, 473) < 0.01 < upper_bound(1, 472)


def test_a_word_counts_where_it_is_right_and_where_it_is_not() -> None:
    tally = Tally()
    tally.add(Word(frozenset([("w", "parse"), ("w", "lex")]), HERE), HERE)
    tally.add(Word(frozenset(), frozenset(), better=1), frozenset())
    assert (tally.tried, tally.red, tally.told, tally.shown, tally.rows) == (2, 1, 1, 2, 1)
    assert (tally.listed_there, tally.gated_there) == (1, 1)


def test_a_rule_that_cannot_speak_is_not_counted() -> None:
    result = Result({})
    result.add({"a": None, "b": Word(HERE, frozenset())}, HERE)
    assert list(result.tallies) == ["b"]


@pytest.mark.parametrize("runs", [3, 5, 10])
def test_mann_whitney_is_exact(runs: int) -> None:
    before, after = RANDOM.random((runs, 4)), RANDOM.random((runs, 4)) + 0.3
    wanted = mannwhitneyu(after, before, alternative="greater", method="exact", axis=0).pvalue
    assert mann_whitney_p(before, after) == pytest.approx(wanted)


def sides_of(before: Any, after: Any) -> Sides:
    values = np.array(before, dtype=np.float64), np.array(after, dtype=np.float64)
    totals = values[0].sum(axis=1), values[1].sum(axis=1)
    return Sides(values, (values[0] / totals[0][:, None], values[1] / totals[1][:, None]), totals, sampled=True)


def called(rule: str, sides: Sides) -> list[int] | None:
    slower = RULES[rule](sides)
    return None if slower is None else np.flatnonzero(slower).tolist()


def test_fixed_percentages_look_at_functions_or_at_the_total() -> None:
    sides = sides_of([[1000, 100, 1]], [[1060, 112, 2]])
    assert called("any function +5 %", sides) == [0, 1, 2]
    assert called("any function +10 %", sides) == [1, 2]
    assert called("any function of 1 % +10 %", sides) == [1]
    assert called("total +5 %", sides) == [0]
    assert called("total +10 %", sides) == []


def test_poisson_is_the_conditional_binomial() -> None:
    sides = sides_of([[900, 100]], [[860, 140]])
    p = binom.sf(139, 240, 0.5)
    assert called("Poisson", sides) == ([1] if p <= 0.05 else [])
    assert p == pytest.approx(0.0058, abs=1e-4)
    assert called("Poisson", sides_of([[900, 100]], [[890, 110]])) == []


def test_welch_asks_for_two_runs_and_is_scipys() -> None:
    assert called("Welch + BH", sides_of([[1, 1]], [[1, 2]])) is None
    before, after = RANDOM.normal(100, 1, (5, 3)), RANDOM.normal(100, 1, (5, 3))
    after[:, 1] += 6
    sides = sides_of(before, after)
    p = ttest_ind(sides.shares[1][:, 1], sides.shares[0][:, 1], equal_var=False, alternative="greater").pvalue
    assert p < 0.001
    assert called("Welch + BH", sides) == [1]


def cell(runs: int, plant: list[float] | None, red: dict[str, int], **facts: object) -> dict[str, Any]:
    """Twenty pull requests; red ones are red at the right place."""
    result = Result({**ORDINARY, "runs": runs, "plant": plant, **facts})
    truth = HERE if plant else frozenset()
    for name, hits in red.items():
        for number in range(20):
            found = HERE if number < hits else frozenset()
            result.add({name: Word(found, found)}, truth)
    return result.as_json()


def test_a_rival_is_as_calm_and_finds_more() -> None:
    quiet = cell(5, None, {JUDGE: 0, "as calm": 0, "restless": 1, "calm but blind": 0})
    slower = cell(5, [0.05, 1.3], {JUDGE: 15, "as calm": 16, "restless": 20, "calm but blind": 10})
    assert rivals([quiet, slower]) == ["as calm with 5 runs a side fails", "as calm with 5 runs a side tells"]


def test_what_is_too_small_to_fail_counts_for_telling_alone() -> None:
    quiet = cell(5, None, {JUDGE: 0, "as calm": 0})
    small = cell(5, [0.01, 1.1], {JUDGE: 0, "as calm": 16})
    assert rivals([quiet, small]) == ["as calm with 5 runs a side tells"]


def test_who_fails_what_is_too_small_is_no_rival_in_failing() -> None:
    quiet = cell(5, None, {JUDGE: 0, "without floors": 0})
    small = cell(5, [0.01, 1.1], {JUDGE: 0, "without floors": 16})
    slower = cell(5, [0.05, 1.3], {JUDGE: 15, "without floors": 16})
    assert rivals([quiet, small, slower]) == ["without floors with 5 runs a side tells"]


def test_targets_hold_what_was_counted_against_what_was_promised() -> None:
    calm = [cell(1, None, {JUDGE: 0}) for _ in range(15)]
    found = [cell(5, [0.05, 1.2], {JUDGE: 18}), cell(5, [0.02, 1.3], {JUDGE: 17})]
    moved = [cell(5, None, {JUDGE: 1}, edit="inlined")]
    met = {target.name.split(":")[0]: target.met for target in release_targets([*calm, *found, *moved])}
    assert met["1 unchanged"]
    assert met["3 5 % of the run × 1.2, 5 runs a side"]
    assert not met["3 2 % of the run × 1.3, 5 runs a side"]
    assert not met["5 renamed, moved, split, inlined"]
    assert not met["4 0.5 % of the run × 1.3, 5 runs a side"]  # nothing was counted


def test_a_loop_is_planted_below_the_docstring_of_a_method() -> None:
    source = 'class A:\n    def f(self):\n        """Says."""\n        return 1\n\ndef f():\n    return 2\n'
    planted = with_loop(source, "A.f", 5)
    assert planted.splitlines()[3] == "        for _ in range(5): pass"
    assert with_loop(source, "f", 5).splitlines()[6] == "    for _ in range(5): pass"
    space: dict[str, Any] = {}
    exec(planted, space)  # noqa: S102 - our own text
    assert space["A"]().f() == 1
    with pytest.raises(RecordError, match=r"no function B\.f"):
        with_loop(source, "B.f", 5)


def test_the_page_in_docs_holds_what_was_recorded() -> None:
    page = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")
    parts = recorded_parts(json.loads(RECORDINGS.read_text(encoding="utf-8")))
    assert page.endswith("\n".join(parts))
