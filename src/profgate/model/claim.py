"""Claims that a change makes a function or the run faster, and how they are written in a pull request's description.

    profgate: claim parse -10%
    profgate: claim `ns::parse(int)` -10% file=src/parse.cpp
    profgate: claim total -3%

Every line that begins so is a claim, also in a code block or an HTML comment: which text GitHub shows is not decided
here, and a claim that is shown must not be passed over. Examples are indented or quoted.
"""

import re
from math import pi
from typing import Literal

from profgate.model.acceptance import split_name
from profgate.model.bounded import Probability
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import Record
from profgate.model.visible_text import NAME_LENGTH, cut, plain

ClaimState = Literal["proven", "not proven", "contradicted"]

BUDGET = 0.01  # probability that any attempt proves a wrong claim
CLAIM_SPLITS = 10_000  # the smallest p value of one machine is 1 / 10,000
MOST_CLAIMS = 5  # maximum number in one description
CLAIM = re.compile(r"profgate:[ \t]*claim(?=[ \t]|$)(.*)")
CHANGE = re.compile(r"([-\N{MINUS SIGN}+][0-9]{1,3}(?:\.[0-9]{1,3})?)%")
TOTAL_NAME = "total"  # claims the whole run


class ClaimResult(Record):
    """What one machine measured about a claim, in one workload.

    ``p`` is the probability of runs that show so much if only half of the
    claim is true. The relative change is from ``low`` to ``high`` and that of the total from ``total_low`` to
    ``total_high``, with a confidence of 95 %. ``share`` is the share of the run before. ``factor`` is the common factor
    of all functions, which is not part of the change. ``counted`` is True for an exact count. If no function was
    tested, ``obstacle`` is the reason, and the numbers are None.
    """

    workload: str
    metric: str
    machine: str = ""
    low: float | None = None
    high: float | None = None
    p: Probability | None = None
    share: float | None = None
    total_low: float | None = None
    total_high: float | None = None
    factor: float | None = None
    counted: bool = False
    obstacle: Literal["", "several"] = ""


class Claim(Record):
    """A claim that the cost of ``location`` changed by the fraction ``change``, such as -0.1.

    ``attempt`` counts the attempts to prove it, beginning with 1; None if the number is unknown. ``level`` is the
    significance level of this attempt. ``remark`` explains ``state``.
    """

    location: str
    change: float
    file: str | None = None
    attempt: int | None = None
    level: Probability | None = None
    results: tuple[ClaimResult, ...] = ()
    state: ClaimState = "not proven"
    remark: Reason | None = None

    @property
    def key(self) -> tuple[str, float, str | None]:
        """What is claimed."""
        return self.location, self.change, self.file


def level_of(attempt: int, claims: int) -> float:
    """Return the significance level of one of several claims in an attempt: a part of the budget.

    The levels of all attempts add up to the budget, because the sum of 1 / k² is π² / 6. Therefore, the probability
    that any attempt proves a wrong claim is at most the budget, however the attempts depend on each other: Bonferroni's
    inequality for a sequence of tests, which Foster and Stine (2008) call alpha-spending.
    """
    return BUDGET * 6.0 / (pi * attempt) ** 2 / claims


def claims_in(description: str) -> tuple[Claim, ...]:
    """Return the claims of a description, without repeats. Claims that cannot be read, or are too many, are refused."""
    # GitHub stores at most 65,536 characters
    stated = filter(None, map(CLAIM.match, description[:65_536].splitlines()))
    found = {claim.key: claim for claim in (claim_of(line[1]) for line in stated)}
    return tuple(found.values()) if len(found) <= MOST_CLAIMS else (refused(f"{len(found)} claims"),)


def claim_of(text: str) -> Claim:
    """Return the claim ``NAME -10%``, with ``file=PATH`` at the end if several functions have the name."""
    rest, _, last = text.strip().rpartition(" ")
    file = None
    if last.startswith("file="):
        file = last.removeprefix("file=").strip("`")
        rest, _, last = rest.rstrip().rpartition(" ")
    found = CHANGE.fullmatch(last)
    name, other = split_name(rest.strip())
    change = float(found[1].replace("\N{MINUS SIGN}", "-")) / 100.0 if found else 0.0
    if not name or other.strip() or not change or change <= -1.0:
        return refused(text)
    return Claim(name, change, file)


def refused(text: str) -> Claim:
    """Return a claim that can never be proven, because it cannot be read."""
    name = cut(plain(text), NAME_LENGTH)
    remark = Reason(ReasonCode.CLAIM, {"case": "form", "function": name, "most": MOST_CLAIMS})
    return Claim("", 0.0, remark=remark)
