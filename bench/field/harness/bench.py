"""The benchmark: blocks of work on all documents of a file."""

import sys
from pathlib import Path

from work import process

BLOCKS = 24
INPUT = "documents.txt"
REPEATED = 24


def load(name: str) -> list[str]:
    return Path(name).read_text().splitlines()


def main(part: int) -> None:
    documents = load(INPUT)
    total = 0
    for block in range(BLOCKS):
        for _ in range(REPEATED):
            for document in documents:
                total += process(document, block)
    print(f"part {part}: {BLOCKS} blocks, result {total % 1000003}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
