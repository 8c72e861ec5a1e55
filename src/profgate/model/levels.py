"""Significance levels and thresholds of the gate, which are explained in docs/explanation/verdict.md.

For one direction of change, ``RED`` is the probability that a report on unchanged code has a red row, and ``LISTED`` is
the probability that such a report has any row.
"""

RED = 0.005
RED_OF_FAMILIES = 0.01  # probability of a red row, which is divided by the number of test families in a report
LISTED = 0.02
MOST_SPLITS = 5000  # maximum number of splits, unless the level of the test needs more; more are drawn at random

SMALLEST_SHARE = 0.0025  # minimum share of the run that a location needs to be tested
NEARLY_ALL = 0.9  # smallest share at which a location is treated as the whole run
GATE_SHARE = 0.005  # smallest change of a location that is tested, as a share of the run
OWN_FLOOR = 0.05  # smallest relative change of a location that is tested
START = 1e8  # longest time at the start of a run that a profiler misses, in ns; py-spy misses 20 to 60 ms
TOTAL_FLOOR = 0.02  # smallest relative change of a total that is tested

FEWEST_SAMPLES = 1000  # minimum number of samples on each side
VISIBLE = 0.5  # the runs must be able to reveal this change in the total, or in a function of share `VISIBLE_SHARE`
VISIBLE_SHARE = 0.1
SUSPECTS = 5  # maximum number of functions that an inconclusive result names
SUSPECT_SHARE = 0.02  # minimum share of the run of an unlisted suspect on one side

FEWEST_JOBS = 5  # minimum number of base jobs whose differences can serve as a bound
LIKE_RUNS = 1.25  # runs of unknown order are not comparable if their common factor is larger than this
MACHINE = 2.0  # machines of the same type differ by less than this factor; on a busy machine, the factor was 1.3

# standard deviation of the change of a function that is only placed elsewhere or runs on another machine; it counts as
# much as the disagreement of two machines about `PLACEMENT_WEIGHT` functions
PLACEMENT, PLACEMENT_WEIGHT = 0.04, 5
# standard deviations that a change must exceed, by the number of machines that measured it in turns; 0 stands for a
# measurement that confirms no earlier comparison
DEVIATIONS = (0.0, 3.5, 2.5)
TOTAL_MARGIN = 1.5  # a total from another job can be red only if its change exceeds the bound by this factor


def job_margin(jobs: int) -> float:
    """Return the factor applied to the largest difference between K base jobs: (100 / (K + 1)) ** (1 / 4), at least 1.

    An additional unchanged job exceeds the largest of K comparable jobs with probability 1 / (K + 1). If the tails of
    the distribution fall with the fourth power of the size, this factor reduces the probability to 1 %.
    """
    return max(1.0, float((100.0 / (jobs + 1)) ** 0.25))


def listing_margin(jobs: int) -> float:
    """Return the factor that determines which rows are displayed.

    The factor is chosen so that 2.5 % of the reports on unchanged jobs should have a row. With a factor chosen for 5 %,
    8 to 13 % of these reports had a row.
    """
    return max(1.0, float((40.0 / (jobs + 1)) ** 0.25))
