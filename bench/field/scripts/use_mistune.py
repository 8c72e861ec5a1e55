"""Turn a document into HTML."""

import mistune
from document import DOCUMENT


def work():
    """One unit of work."""
    return len(mistune.html(DOCUMENT))


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
