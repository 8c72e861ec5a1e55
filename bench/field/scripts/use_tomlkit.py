"""Read, change and write TOML."""

import tomlkit

TEXT = "".join(
    f'[section{n}]\nname = "value {n}" # note\nlist = [1, 2, 3]\nnested = {{ a = 1, b = "c" }}\nwhen = 2020-01-02T03:04:05Z\n\n'
    for n in range(12)
)


def work():
    """One unit of work."""
    document = tomlkit.parse(TEXT)
    document["section3"]["name"] = "other"
    return len(tomlkit.dumps(document))


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
