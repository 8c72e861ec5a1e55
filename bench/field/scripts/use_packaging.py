"""Sort and filter versions and read requirements."""

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

VERSIONS = [
    f"{a}.{b}.{c}{suffix}" for a in range(3) for b in range(5) for c in range(4) for suffix in ("", "rc1", ".post2")
]
SPECIFIERS = [">=1.0,<2.0", "~=1.2", "!=1.3.*,>0.5", "==2.*"]
REQUIREMENTS = [
    "requests[security]>=2.8.1,==2.8.*; python_version < '2.7'",
    "name>=3,<4",
    "a.b-c~=1.4.2; sys_platform == 'linux'",
]


def work():
    """One unit of work."""
    ordered = sorted(Version(text) for text in VERSIONS)
    found = sum(len(list(SpecifierSet(text).filter(VERSIONS))) for text in SPECIFIERS)
    return len(ordered) + found + sum(len(str(Requirement(text))) for text in REQUIREMENTS * 5)


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
