"""Cost that left one place and appeared at another: locations whose net alone can be a regression."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from profgate.attribute.call_links import CallLinks, links_of, shares
from profgate.model.arrays import BoolArray, FloatArray
from profgate.model.comparison import Comparison, CostGroup, DiffTree

LISTED = 0.001  # share of the run from which a change of one location counts
GATING = 0.005  # the same for what could turn a check red
WITHIN = 0.10  # two costs that differ by less are one cost
HALF = 0.5  # a caller that split gave up at least this part of what its new callees cost
REWRITTEN = 0.05  # share of the run that goes and comes where a program was rewritten
MANY = 3  # functions of each side
WHOLE_RUN = 0.9  # a caller that holds more of the run has everything below it
MOST_GROUPS = 100
MOST_STEPS = 100


def with_cost_groups(comparison: Comparison) -> Comparison:
    """The comparison with its groups: splits, merges, new cost and its caller, and cost that changed places."""
    known = np.asarray(comparison.present, dtype=np.bool_)
    links = links_of(comparison)
    before, after = shares(comparison, comparison.self_value)
    groups = [
        *_rewritten(comparison, known, before, after),
        *_splits(comparison, links, known, after - before, into=True),
        *_splits(comparison, links, known, after - before, into=False),
        *_exchanges(comparison, known, after - before),
        *_new_costs(comparison, links, known, after),
    ]
    return replace(comparison, groups=tuple(groups[:MOST_GROUPS]))


def _nearest_known(links: CallLinks, cost: FloatArray, known: BoolArray, symbol: int) -> int | None:
    """The nearest caller that both sides know, by the heaviest call at each step; None for what nobody calls."""
    seen = {symbol}
    for _ in range(MOST_STEPS):
        rows = np.flatnonzero((links.callee == symbol) & (cost > 0))
        rows = rows[~np.isin(links.caller[rows], list(seen))]
        if not len(rows):
            return None
        symbol = int(links.caller[rows[np.argmax(cost[rows])]])
        if known[:, symbol].all():
            return symbol
        seen.add(symbol)
    return None


def _rewritten(comparison: Comparison, known: BoolArray, before: FloatArray, after: FloatArray) -> Iterable[CostGroup]:
    """Many functions gone and many new that cost as much: one group, with known functions that took over the rest."""
    gone = np.flatnonzero(known[0] & ~known[1] & (before >= LISTED))
    new = np.flatnonzero(known[1] & ~known[0] & (after >= LISTED))
    lost, gained = float(before[gone].sum()), float(after[new].sum())
    if min(len(gone), len(new)) < MANY or min(lost, gained) < REWRITTEN:
        return
    change = np.where(known.all(axis=0), after - before, 0.0)
    risen = []
    for symbol in np.argsort(-change, kind="stable").tolist():
        if change[symbol] >= GATING and gained + change[symbol] <= (1.0 + WITHIN) * lost:
            gained += float(change[symbol])
            risen.append(symbol)
    if abs(gained - lost) <= WITHIN * max(gained, lost):
        lead = int(new[np.argmax(after[new])])
        by_weight = [
            places[np.argsort(-share[places], kind="stable")] for places, share in ((gone, before), (new, after))
        ]
        others = [symbol for places in by_weight for symbol in places.tolist() if symbol != lead] + risen
        values = comparison.self_value[:, [lead, *others]].sum(axis=1)
        yield CostGroup("moved", lead, tuple(others), values)


def _splits(
    comparison: Comparison, links: CallLinks, known: BoolArray, change: FloatArray, *, into: bool
) -> Iterable[CostGroup]:
    """A function whose own cost fell as new callees rose (``into``), or rose as callees went, inlined or merged."""
    mine, cost = (1, links.target) if into else (0, links.baseline)
    lone = np.flatnonzero(known[mine] & ~known[1 - mine] & (np.abs(change) >= LISTED))
    callers: dict[int, list[int]] = {}
    for symbol in lone.tolist():
        caller = _nearest_known(links, cost, known, symbol)
        if caller is not None:
            callers.setdefault(caller, []).append(symbol)
    for caller, callees in sorted(callers.items()):
        arrived, left = float(change[callees].sum()), float(change[caller])
        if abs(left) >= LISTED and left * arrived < 0 and HALF <= abs(left / arrived) <= 1.0 / HALF:
            values = comparison.self_value[:, [caller, *callees]].sum(axis=1)
            yield CostGroup("split" if into else "merged", caller, tuple(callees), values)


def _new_costs(comparison: Comparison, links: CallLinks, known: BoolArray, share: FloatArray) -> Iterable[CostGroup]:
    """The inclusive cost of the nearest known caller of each heavy new function; of several, the heaviest names it."""
    lone = np.flatnonzero(known[1] & ~known[0] & (share >= GATING))
    callers: dict[int, list[int]] = {}
    for symbol in lone[np.argsort(-share[lone], kind="stable")].tolist():
        caller = _nearest_known(links, links.target, known, symbol)
        if caller is not None:
            callers.setdefault(caller, []).append(symbol)
    for caller, (lead, *further) in callers.items():
        yield CostGroup("new", lead, (caller, *further), comparison.total_value[:, caller])


def _exchanges(comparison: Comparison, known: BoolArray, change: FloatArray) -> Iterable[CostGroup]:
    """Pairs of known functions, one up and one down by the same, below a caller whose inclusive cost stayed."""
    tree = comparison.tree
    if tree is None:
        return
    heavy = np.flatnonzero(known.all(axis=0) & (np.abs(change) >= GATING))
    up, down = ([symbol for symbol in heavy.tolist() if sign * change[symbol] > 0] for sign in (1, -1))
    free = set(down)
    for symbol in sorted(up, key=lambda one: (-change[one], one)):
        bar = WITHIN * float(change[symbol])
        near = sorted((abs(change[symbol] + change[other]), other) for other in free)
        partner = next(
            (other for gap, other in near if gap <= bar and _same_place(comparison, tree, symbol, other)), None
        )
        if partner is not None:
            free.discard(partner)
            values = comparison.self_value[:, [symbol, partner]].sum(axis=1)
            yield CostGroup("moved", symbol, (partner,), values)


def _same_place(comparison: Comparison, tree: DiffTree, one: int, other: int) -> bool:
    """Whether the nearest common caller of the heaviest paths of two symbols costs as much as before.

    Below a caller that holds nearly the whole run anything would do as a part of it, so there the absolute cost of a
    run must have stayed.
    """
    row = _common_caller(tree, _heaviest(tree, one, comparison), _heaviest(tree, other, comparison))
    runs, split = comparison.runs, comparison.runs.baseline
    means = (tree.baseline_total[row] / runs.baseline, tree.target_total[row] / runs.target)
    totals = [float(side.mean()) for side in (comparison.run_totals[:split], comparison.run_totals[split:])]
    own = comparison.self_value[:, one]
    moved = abs(float(own[split:].mean() - own[:split].mean()))
    if max(mean / total for mean, total in zip(means, totals, strict=True)) >= WHOLE_RUN:
        return bool(abs(means[1] - means[0]) <= WITHIN * moved)
    parts = [mean / total for mean, total in zip(means, totals, strict=True)]
    return bool(abs(parts[1] - parts[0]) * totals[0] <= WITHIN * moved)


def _heaviest(tree: DiffTree, symbol: int, comparison: Comparison) -> int:
    """The row of a symbol whose own cost changed most."""
    rows = np.flatnonzero(tree.symbol == symbol)
    runs = comparison.runs
    moved = np.abs(tree.target_self[rows] / runs.target - tree.baseline_self[rows] / runs.baseline)
    return int(rows[np.argmax(moved)])


def _common_caller(tree: DiffTree, one: int, other: int) -> int:
    """The deepest row above both rows; a row is not its own caller."""
    one, other = int(tree.parent[one]), int(tree.parent[other])
    while one != other:
        if tree.depth[one] >= tree.depth[other]:
            one = int(tree.parent[one])
        else:
            other = int(tree.parent[other])
    return one
