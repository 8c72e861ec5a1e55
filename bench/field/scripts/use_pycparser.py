"""Parse C and write it again."""

from pycparser import c_generator, c_parser

CODE = "".join(
    f"struct s{n} {{ int a; double b[{n + 1}]; }};\n"
    f"int f{n}(int x, struct s{n} *p) {{ for (int i = 0; i < x; i++) {{ if (p->b[i] > 2.5) p->a += i * {n}; else x--; }} return p->a; }}\n"
    for n in range(8)
)
PARSER = c_parser.CParser()


def work():
    """One unit of work."""
    return len(c_generator.CGenerator().visit(PARSER.parse(CODE)))


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
