"""Turns one document into HTML again and again with whichever mistune is on the path."""

import sys

import mistune

SECTION = """
## Section {number}: of *ordinary* text

A paragraph with **strong**, `code`, a [link](https://example.org/{number} "title") and <b>html</b>; it goes on
for a second line with an ![image](picture-{number}.png) and an automatic https://example.org/{number} address.

> A quotation with *emphasis* in it
> that takes two lines.

1. one thing
2. another thing with `code`
   - a list below it
   - and its second entry

```python
def function_{number}(argument):
    return argument * {number}
```

| name | value |
|------|------:|
| a    | {number} |
| b    | **two** |
"""
DOCUMENT = "# A document\n" + "".join(SECTION.format(number=number) for number in range(12))


def main(rounds: int) -> None:
    """Render the document this many times."""
    render = getattr(mistune, "html", None) or mistune.markdown
    for _ in range(rounds):
        render(DOCUMENT)


if __name__ == "__main__":
    main(int(sys.argv[1]))
