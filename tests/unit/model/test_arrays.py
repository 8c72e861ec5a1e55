"""Functions for arrays."""

import numpy as np
import pytest

from profgate.model.arrays import exact_sum

MOST = (1 << 63) - 1


@pytest.mark.parametrize("values", [[], [3, 4], [MOST, MOST, 1], [-MOST, 5, -MOST]])
def test_sums_may_exceed_64_bits(values: list[int]) -> None:
    assert exact_sum(np.array(values, np.int64)) == sum(values)
