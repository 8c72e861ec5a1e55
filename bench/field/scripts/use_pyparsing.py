"""Parse a configuration with combinators."""

import pyparsing as pp

number = pp.Word(pp.nums).setParseAction(lambda found: int(found[0]))
name = pp.Word(pp.alphas, pp.alphanums + "_")
text = pp.QuotedString('"')
value = pp.Forward()
items = pp.Suppress("[") + pp.Optional(pp.delimitedList(value)) + pp.Suppress("]")
value <<= number | text | pp.Group(items) | name
entry = pp.Group(name + pp.Suppress("=") + value + pp.Suppress(";"))
block = pp.Group(name + pp.Suppress("{") + pp.ZeroOrMore(entry) + pp.Suppress("}"))
FILE = pp.OneOrMore(block)
TEXT = "".join(
    f'block{n} {{ size = {n}; title = "number {n}"; list = [1, two, "three", [4, {n}]]; }}\n' for n in range(8)
)


def work():
    """One unit of work."""
    return len(FILE.parseString(TEXT, parseAll=True))


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
