"""Turn a document into HTML."""

from document import DOCUMENT
from markdown_it import MarkdownIt


def work():
    """One unit of work."""
    return len(MarkdownIt().render(DOCUMENT))


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
