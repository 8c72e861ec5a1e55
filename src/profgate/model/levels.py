"""Levels and floors of the tests that may fail the gate: the strategies' defaults, and what the judge takes unsaid.

Why they are what they are: docs/decisions/0001-what-turns-a-check-red.md.
"""

# of unchanged pull requests one in twenty may show any row: half of that belongs to totals, half to locations,
# whose lists of slower and of faster ones have a half each
TOTAL_ALPHA = 0.025
LIST_Q = 0.0125
GATE_Q = 0.02  # divided by the comparisons of the report
TOTAL_ALPHA_GATE = 0.01
OWN_FLOOR = 0.05  # smallest change of a location against itself
GATE_SHARE = 0.005  # smallest change of a location that may gate, as a part of the run
TOTAL_FLOOR = 0.02  # smallest relative change of a total
