"""Turn a document into HTML."""

from markdown_it import MarkdownIt

SECTION = """
## Section {n}

A paragraph with **strong**, *emphasis*, `code` and a [link](https://example.org/{n} "title"),
on two lines &amp; with <b>html</b>.

> A quotation
> of two lines

1. first
2. second
    * inner

        some code {n}
"""
DOCUMENT = "".join(SECTION.format(n=n) for n in range(10))


def work():
    """One unit of work."""
    return len(MarkdownIt().render(DOCUMENT))


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
