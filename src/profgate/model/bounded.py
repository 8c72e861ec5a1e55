"""Types of numbers in reports, which untrusted people may write, so that their bounds are checked on reading."""

from typing import Annotated

from annotated_types import Ge, Gt, Interval

Count = Annotated[int, Ge(0)]
Positive = Annotated[float, Gt(0)]
Probability = Annotated[float, Interval(ge=0, le=1)]
