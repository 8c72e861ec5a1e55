"""Parse and write a style sheet."""

import tinycss2

SHEET = "".join(
    f".c{n} > a:hover, #x{n} {{ color: rgb({n}, 2, 3); margin: {n}px 1.5em; background: url(a{n}.png) }} @media print {{ b {{ top: 0 }} }}\n"
    for n in range(25)
)


def work():
    """One unit of work."""
    rules = tinycss2.parse_stylesheet(SHEET, skip_whitespace=True)
    declarations = [tinycss2.parse_declaration_list(rule.content) for rule in rules if rule.type == "qualified-rule"]
    return len(declarations) + len(tinycss2.serialize(rules))


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
