"""Parse arithmetic with a LALR grammar."""

from lark import Lark, Transformer

GRAMMAR = r"""
?start: sum
?sum: product | sum "+" product -> add | sum "-" product -> sub
?product: atom | product "*" atom -> mul | product "/" atom -> div
?atom: NUMBER -> number | "-" atom -> neg | NAME -> var | "(" sum ")"
%import common.CNAME -> NAME
%import common.NUMBER
%import common.WS
%ignore WS
"""
TEXT = " + ".join(f"(a{n} * {n} - b / ({n} + 1.5)) * -c{n}" for n in range(40)).replace("a", "x")


class Count(Transformer):
    """Counts leaves."""

    def number(self, _children):
        """A number."""
        return 1

    def var(self, _children):
        """A name."""
        return 1


PARSER = Lark(GRAMMAR, parser="lalr")


def work():
    """One unit of work."""
    if work.calls % 20 == 0:
        Lark(GRAMMAR, parser="lalr")
    work.calls += 1
    return len(Count().transform(PARSER.parse(TEXT)).children)


work.calls = 0


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
