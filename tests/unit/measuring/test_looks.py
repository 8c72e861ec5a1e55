import pytest

from profgate.measuring.looks import LISTED, OTHERS, planned
from profgate.model.levels import RED
from profgate.model.measurement import Look

LAST = 0.02, 0.005


@pytest.mark.parametrize(
    ("most", "looks"),
    [
        (4, ()),
        (5, (Look(5, *LAST),)),
        (7, (Look(7, *LAST),)),
        (8, (Look(5, 0.004, 0.0), Look(8, *LAST))),
        (11, (Look(5, 0.004, 0.0), Look(11, *LAST))),
        (12, (Look(5, 0.004, 0.0), Look(8, 0.01, 0.002), Look(12, 0.02, 0.003))),
        (50, (Look(5, 0.004, 0.0), Look(8, 0.01, 0.002), Look(12, 0.02, 0.003))),
    ],
)
def test_looks_fit_into_the_budget(most: int, looks: tuple[Look, ...]) -> None:
    assert planned(most, counts=False) == looks


@pytest.mark.parametrize("most", range(5, 14))
def test_levels_of_all_looks_keep_their_sum(most: int) -> None:
    looks = planned(most, counts=False)
    assert sum(look.others for look in looks) <= RED
    assert sum(look.listed for look in looks) <= sum(LISTED)
    assert looks[-1].others >= OTHERS[-1]
