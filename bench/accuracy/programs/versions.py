"""Parses, sorts and filters version numbers with whichever packaging is on the path."""

import random
import sys

from packaging.specifiers import SpecifierSet
from packaging.version import Version

RANDOM = random.Random(1)
SUFFIXES = ["", "", "", "rc1", ".post2", ".dev3", "a1", "+local.7"]
TEXTS = [
    f"{RANDOM.randrange(9)}.{RANDOM.randrange(30)}.{RANDOM.randrange(12)}{RANDOM.choice(SUFFIXES)}" for _ in range(2000)
]


def main(rounds: int) -> None:
    """Sort and filter the same texts this many times."""
    for _ in range(rounds):
        known = sorted(Version(text) for text in TEXTS)
        wanted = SpecifierSet(">=2.1,!=3.4.*,<8,~=5.2")
        [str(version) for version in wanted.filter(known)]


if __name__ == "__main__":
    main(int(sys.argv[1]))
