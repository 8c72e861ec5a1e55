"""Types of numbers in reports, which untrusted people may write, so that their bounds are checked on reading."""

from typing import Annotated

from profgate.model.record import Limit

Count = Annotated[int, Limit("Ge", {"ge": 0})]
Positive = Annotated[float, Limit("Gt", {"gt": 0})]
Probability = Annotated[float, Limit("Interval", {"ge": 0, "le": 1})]
