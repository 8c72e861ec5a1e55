"""python -m shop [ORDERS]: one day's report."""

import sys

from shop.day import day_report, sample_day

orders = int(sys.argv[1]) if len(sys.argv) > 1 else 400_000
print(day_report(sample_day(orders)))
