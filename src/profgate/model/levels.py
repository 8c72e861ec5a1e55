"""Significance levels and thresholds of the gate, explained in docs/decisions/0001-what-turns-a-check-red.md.

``RED`` and ``LISTED`` are the probabilities that a report on unchanged code has a red row, or any row, for one
direction of change.
"""

RED = 0.005
RED_OF_FAMILIES = 0.01  # divided by the number of test families in a report
LISTED = 0.02
CONFIRMED = 0.05  # level for one finding that is measured again

SMALLEST_SHARE = 0.0025  # smallest share of the run of a tested location
NEARLY_ALL = 0.9  # smallest share at which a location is treated as the whole run
GATE_SHARE = 0.005  # smallest change of a location, as a share of the run
OWN_FLOOR = 0.05  # smallest relative change of a location
TOTAL_FLOOR = 0.02  # smallest relative change of a total

FEWEST_SAMPLES = 1000  # minimum number on each side
VISIBLE = 0.5  # the runs must be able to reveal this change in the total, or in a function of `VISIBLE_SHARE`
VISIBLE_SHARE = 0.1

FEWEST_JOBS = 3  # minimum number of base jobs whose differences can serve as a bound
LIKE_RUNS = 1.25  # a larger common factor makes runs of unknown order incomparable
MACHINE = 2.0  # machines of the same type differ by less than this factor; a busy machine reached 1.3

TOTAL_MARGIN = 1.5  # factor for the bound that the total of another job must exceed to be red


def job_margin(jobs: int) -> float:
    """Return the factor for the largest difference between K base jobs: (100 / (K + 1)) ** (1 / 4), at least 1.

    An additional unchanged job exceeds the largest of K comparable jobs with probability 1 / (K + 1). If the tails fall
    with the fourth power of the size, this factor reduces the probability to 1 %.
    """
    return max(1.0, float((100.0 / (jobs + 1)) ** 0.25))


def listing_margin(jobs: int) -> float:
    """Return the factor for displayed rows, which aims at 2.5 % of unchanged jobs with a row.

    With a factor that aimed at 5 %, 8 to 13 % of unchanged jobs had a row.
    """
    return max(1.0, float((40.0 / (jobs + 1)) ** 0.25))
