import pytest

from profgate.measuring.looks import OF_ALL, planned
from profgate.model.levels import LISTED, RED


@pytest.mark.parametrize(
    ("most", "looks"),
    [
        (4, []),
        (5, [(5, 0.02, 0.005)]),
        (7, [(7, 0.02, 0.005)]),
        (8, [(8, 0.02, 0.005)]),
        (10, [(10, 0.02, 0.005)]),
        (13, [(10, 0.004, 0.001), (12, 0.016, 0.005)]),
        (20, [(10, 0.004, 0.001), (20, 0.016, 0.005)]),
        (31, [(10, 0.004, 0.001), (20, 0.006, 0.002), (30, 0.010, 0.003)]),
        (99, [(10, 0.004, 0.001), (20, 0.006, 0.002), (40, 0.010, 0.003)]),
    ],
)
def test_looks_fit_into_the_budget(most: int, looks: list[tuple[int, float, float]]) -> None:
    confirming, alone = (planned(most, counts=False, machines=machines) for machines in (1, 0))
    both = zip(confirming, alone, strict=True)
    assert [(one.runs, round(one.level, 9), round(other.level, 9)) for one, other in both] == looks


@pytest.mark.parametrize(("machines", "deviations"), [(0, 0.0), (1, 3.5), (2, 2.5)])
@pytest.mark.parametrize("most", [5, 8, 12, 20, 33, 40])
def test_levels_of_all_looks_keep_their_sum(most: int, machines: int, deviations: float) -> None:
    looks = planned(most, counts=False, machines=machines)
    assert {look.deviations for look in looks} == {deviations}
    assert sum(look.level for look in looks) <= (LISTED if machines else RED + OF_ALL[0]) + 1e-9
