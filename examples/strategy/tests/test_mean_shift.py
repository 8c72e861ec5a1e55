"""Results of mean_shift for small profiles."""

import pytest
from profgate_mean_shift.strategy import MeanShift

from profgate.compare.columns import CompareOptions
from profgate.compare.overlay import compare_workload
from profgate.model.change import Context, Kind
from profgate.model.comparison import Comparison
from profgate.model.profile import Configuration, Workload
from profgate.model.source import source_of
from profgate.readers.folded import FoldedReader


def compared(baseline: str, target: str) -> Comparison:
    """Two profiles of folded stacks, one run a side."""
    before, after = (FoldedReader().read(source_of("run", text.encode())) for text in (baseline, target))
    return compare_workload(Workload("w", Configuration(), (before,), (after,)), (), CompareOptions())[0][0]


def kinds(comparison: Comparison, **options: float) -> dict[str, str]:
    found = MeanShift().detect(comparison, options, Context())
    names = (comparison.symbols.names[symbol] for symbol in found.symbol.tolist())
    return dict(zip(names, (Kind(kind).word for kind in found.kind.tolist()), strict=True))


BASELINE = "main;parse 500\nmain;write 300\nmain;sort 200\n"


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("main;parse 510\nmain;write 300\nmain;sort 200\n", "MaybeDegradation"),
        ("main;parse 490\nmain;write 300\nmain;sort 200\n", "MaybeOptimization"),
        ("main;parse 509\nmain;write 300\nmain;sort 200\n", "NoChange"),
        ("main;write 300\nmain;sort 200\n", "NotInTarget"),
    ],
)
def test_change_counts_from_one_percent(target: str, kind: str) -> None:
    found = kinds(compared(BASELINE, target))
    assert found["parse"] == kind
    assert found["write"] == "NoChange"


def test_option_sets_the_threshold() -> None:
    comparison = compared(BASELINE, "main;parse 510\nmain;write 300\nmain;sort 200\n")
    assert kinds(comparison, part=0.02)["parse"] == "NoChange"


def test_zero_baseline_is_not_tested() -> None:
    found = MeanShift().detect(compared("main 0\n", "main 5\n"), {}, Context())
    assert found.not_tested == ("the baseline's total is zero",)
