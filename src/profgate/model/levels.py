"""Levels and floors of the tests that may fail the gate; docs/decisions/0001-what-turns-a-check-red.md gives reasons.

``RED`` and ``LISTED`` are family-wise levels for one direction of change: the chance that unchanged code shows a red
row, or any row, in a report.
"""

RED = 0.005
RED_OF_FAMILIES = 0.01  # divided by the families of tests of a report
LISTED = 0.02
CONFIRMED = 0.05  # of one suspect that is measured again

SMALLEST_SHARE = 0.0025  # part of the run from which a location is tested,
NEARLY_ALL = 0.9  # and from which it is the run itself
GATE_SHARE = 0.005  # smallest change of a location, as a part of the run
OWN_FLOOR = 0.05  # smallest change of a location against itself
TOTAL_FLOOR = 0.02  # smallest relative change of a total

FEWEST_SAMPLES = 1000  # of a side
VISIBLE = 0.5  # change that a comparison has to be able to show in the total, or in a function of `VISIBLE_SHARE`
VISIBLE_SHARE = 0.1

FEWEST_JOBS = 3  # base jobs from which their differences are a bound
LIKE_RUNS = 1.25  # common factor of the sides from which runs of unknown order are not alike
MACHINE = 2.0  # common factor that no other machine of the same kind explains; on a busy one 1.3 was seen

TOTAL_MARGIN = 1.5  # of the bound, for a total of another job to be red


def job_margin(jobs: int) -> float:
    """Factor on the largest difference of K base jobs: (100 / (K + 1)) ** (1 / 4), at least 1.

    A further unchanged job exceeds the largest of K alike ones with probability 1 / (K + 1). For tails that fall as
    the fourth power of the size, this factor brings that down to 1 %.
    """
    return max(1.0, float((100.0 / (jobs + 1)) ** 0.25))


def listing_margin(jobs: int) -> float:
    """The same for a row that is shown: 2.5 %. With the factor of 5 %, 8 to 13 % of unchanged jobs showed a row."""
    return max(1.0, float((40.0 / (jobs + 1)) ** 0.25))
