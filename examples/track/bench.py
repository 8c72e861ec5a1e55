"""Benchmarks of sqlparse for `profgate track`: each leaves its call statistics under its own name."""

import cProfile
import os
import sys
from pathlib import Path

sys.path.insert(0, os.environ["PROFGATE_SOURCE"])
import sqlparse

QUERY = """
SELECT o.id, c.name, SUM(i.price * i.amount) AS total, CASE WHEN o.paid THEN 'yes' ELSE 'no' END AS paid
FROM orders o JOIN customers c ON c.id = o.customer_id LEFT JOIN items i ON i.order_id = o.id
WHERE o.made > '2024-01-01' AND (c.country IN ('DE', 'CL', 'CZ') OR o.total >= 100) -- the large ones
GROUP BY o.id, c.name HAVING COUNT(*) > 2 ORDER BY total DESC LIMIT 20;
"""
SCHEMA = "CREATE TABLE t{0} (id INTEGER PRIMARY KEY, name VARCHAR(80) NOT NULL, made TIMESTAMP DEFAULT now());\n"
LONG = "SELECT * FROM t WHERE id IN ({0});"
BENCHMARKS = {
    "parse": lambda: sqlparse.parse(QUERY * 4),
    "split": lambda: sqlparse.split("".join(SCHEMA.format(number) for number in range(40))),
    "format": lambda: sqlparse.format(QUERY, reindent=True, keyword_case="upper"),
    "strip comments": lambda: sqlparse.format(QUERY * 3, strip_comments=True),
    "long list": lambda: sqlparse.parse(LONG.format(", ".join(map(str, range(300))))),
    "nested": lambda: sqlparse.parse("SELECT " + "(" * 40 + "1" + ")" * 40),
}

for name, work in BENCHMARKS.items():
    work()  # imports and caches are not what is measured
    profile = cProfile.Profile()
    profile.runcall(work)
    profile.dump_stats(Path(os.environ["PROFGATE_OUT"], f"{name}.pstats"))
