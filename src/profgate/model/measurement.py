"""Measurements of both sides in turns, and the suspects whose changes it decides."""

from typing import Literal

from profgate.model.bounded import Count, Probability
from profgate.model.change import Location
from profgate.model.record import Record

Outcome = Literal["confirmed", "possible", "not repeated", "not measured"]


class Suspect(Record):
    """A location that a measurement decides, or the total of a workload if ``location`` is None.

    ``change`` is the relative change in the first comparison, or None if that comparison did not list the location or
    the function is new. The other fields describe the result: the 95 % confidence interval of the relative change from
    ``low`` to ``high``, the adjusted ``p`` value and the ``outcome``. They are None before the measurement.
    """

    workload: str
    metric: str
    location: Location | None
    listed: bool = False
    change: float | None = None
    low: float | None = None
    high: float | None = None
    p: Probability | None = None
    outcome: Outcome | None = None


class Look(Record):
    """An analysis of the runs measured so far, after ``runs`` runs of each side.

    ``level`` is the significance level of all suspects together. If ``suspects`` is None, every location is a suspect.
    A certain change exceeds this number of standard ``deviations``, which include the effect of ``placement``.
    ``machine`` identifies the machine that measures.
    """

    runs: int
    level: float
    suspects: tuple[Suspect, ...] | None = None
    deviations: float = 0.0
    placement: float = 0.0
    machine: str = ""


class Measurement(Record):
    """The extent of a measurement: ``runs`` of each side that took ``seconds`` together, within ``budget`` seconds.

    ``needed`` is the budget in seconds that would allow ten runs of each side, if the given one does not. ``suspects``
    are the suspects that the first comparison listed, with their outcomes, and ``largest`` are the largest functions.
    ``machines`` identifies the machines whose results were joined, or the one that confirmed an earlier comparison; it
    is empty for a single measurement. ``placement`` is the standard deviation between machines.
    """

    runs: Count
    seconds: float
    budget: float
    needed: float | None = None
    suspects: tuple[Suspect, ...] = ()
    largest: tuple[Suspect, ...] = ()
    machines: tuple[str, ...] = ()
    placement: float | None = None
