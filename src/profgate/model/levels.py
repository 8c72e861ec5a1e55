"""Significance levels and thresholds of the gate, explained in docs/decisions/0001-what-turns-a-check-red.md.

``RED`` and ``LISTED`` are family-wise levels for one direction of change: the probability that a report on unchanged
code has a red row, or any row.
"""

RED = 0.005
RED_OF_FAMILIES = 0.01  # divided by the number of test families in a report
LISTED = 0.02
CONFIRMED = 0.05  # for one finding that is measured again

SMALLEST_SHARE = 0.0025  # smallest share of the run for a location to be tested
NEARLY_ALL = 0.9  # smallest share at which a location is treated as the whole run
GATE_SHARE = 0.005  # smallest change of a location, as a share of the run
OWN_FLOOR = 0.05  # smallest relative change of a location
TOTAL_FLOOR = 0.02  # smallest relative change of a total

FEWEST_SAMPLES = 1000  # on each side
VISIBLE = 0.5  # change that must be detectable in the total, or in a function of `VISIBLE_SHARE`
VISIBLE_SHARE = 0.1

FEWEST_JOBS = 3  # fewest base jobs whose differences can serve as a bound
LIKE_RUNS = 1.25  # smallest common factor that makes runs of unknown order incomparable
MACHINE = 2.0  # common factor too large for machines of the same type; a busy one reached 1.3

TOTAL_MARGIN = 1.5  # factor for the bound that the total of a different job must exceed to be red


def job_margin(jobs: int) -> float:
    """Return the factor for the largest difference between K base jobs: (100 / (K + 1)) ** (1 / 4), at least 1.

    An additional unchanged job exceeds the largest of K comparable ones with probability 1 / (K + 1). If the tails fall
    with the fourth power of the size, this factor reduces the probability to 1 %.
    """
    return max(1.0, float((100.0 / (jobs + 1)) ** 0.25))


def listing_margin(jobs: int) -> float:
    """Return the factor for displayed rows, which aims at 2.5 % of unchanged jobs with a row.

    A factor that aimed at 5 % displayed a row for 8 to 13 % of unchanged jobs.
    """
    return max(1.0, float((40.0 / (jobs + 1)) ** 0.25))
