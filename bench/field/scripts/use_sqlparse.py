"""Format SQL."""

import sqlparse

QUERY = """select a.x, b.y as z, count(*) from first a inner join second b on a.id = b.id where a.x > 5 and b.y in
(select k from third where note like 'a%') group by a.x, b.y order by 3 desc; insert into t (a, b) values (1, 'two');"""


def work():
    """One unit of work."""
    return len(sqlparse.format(QUERY, reindent=True, keyword_case="upper")) + len(sqlparse.split(QUERY))


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
