"""The document that the scripts of the Markdown libraries turn into HTML."""

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
