"""Parse, optimize and write SQL."""

import sqlglot
from sqlglot.optimizer import optimize

QUERY = """
SELECT c.name, SUM(o.amount * 1.2) AS total, COUNT(*) AS orders
FROM customers AS c JOIN orders AS o ON c.id = o.customer
WHERE o.year = 2020 AND (c.country = 'DE' OR c.country = 'FR') AND NOT c.closed
GROUP BY c.name HAVING SUM(o.amount) > 100 ORDER BY total DESC LIMIT 10
"""
SCHEMA = {
    "customers": {"id": "INT", "name": "TEXT", "country": "TEXT", "closed": "BOOLEAN"},
    "orders": {"customer": "INT", "amount": "DOUBLE", "year": "INT"},
}


def work():
    """One unit of work."""
    tree = sqlglot.parse_one(QUERY)
    return len(optimize(tree, schema=SCHEMA).sql()) + len(sqlglot.transpile(QUERY, write="spark")[0])


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
