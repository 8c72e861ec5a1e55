"""Turn a document into HTML."""

import markdown
from document import DOCUMENT


def work():
    """One unit of work."""
    return len(markdown.markdown(DOCUMENT))


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
