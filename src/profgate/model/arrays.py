"""The array types of the columns, and write protection for their holders."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
RowArray = NDArray[np.int32]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

AnyArray = TypeVar("AnyArray", bound=NDArray[Any])


def read_only(array: AnyArray) -> AnyArray:
    """The same array, write-protected: a frozen dataclass does not freeze what it holds."""
    array.setflags(write=False)
    return array
