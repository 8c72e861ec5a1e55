"""The share of samples in functions of the repository itself, and not of its benchmarks, tests and dependencies."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import starmap

from profgate.attribution.repository_paths import RepositoryPaths
from profgate.errors import ProfileError
from profgate.measuring.init.candidates import Files
from profgate.model.call_tree import merged_paths
from profgate.model.profile import Profile
from profgate.model.record import Record, field

DEPENDENCIES = re.compile(r"(?:^|/)(?:node_modules|\.venv|\.py-spy|vendor|_deps)/")
OTHERS = re.compile(
    r"(?:^|/)(?:_?bench\w*|perf|tests?|testing|specs?|__tests__|examples?|jmh)/"
    r"|(?:^|/)(?:test_|bench)[^/]*$|[._-](?:test|spec|bench|benchmark)\.\w+$|(?:Tests?|Benchmark)\.java$",
    re.IGNORECASE,
)


class Share(Record):
    """The number of samples of a recording, and the share of them that are in or below a function of the library.

    ``tests`` has this share of the samples below each test that was asked for.
    """

    samples: int = 0
    library: float = 0.0
    tests: Mapping[str, float] = field(default_factory=dict)


def share_of(
    profiles: Sequence[Profile | ProfileError], files: Files, checkout: str, rate: int, tests: Sequence[str] = ()
) -> Share:
    """Return the share over all profiles, at ``rate`` samples per second, and those of the tests with these names.

    Raises ProfileError for an unreadable profile.
    """
    sums, known = [(0.0, 0.0)] * (1 + len(tests)), _known(files, checkout)
    for profile in profiles:
        if isinstance(profile, ProfileError):
            raise profile
        per_sample = 1e9 / rate if profile.metrics and profile.metrics[0].unit == "nanoseconds" else 1.0
        found = zip(sums, _values(profile, known, tests), strict=True)
        sums = [(whole + more / per_sample, inside + own / per_sample) for (whole, inside), (more, own) in found]
    library, *shares = (inside / max(whole, 1e-9) for whole, inside in sums)
    return Share(round(sums[0][0]), library, dict(zip(tests, shares, strict=True)))


def _values(
    profile: Profile, known: Callable[[str, str | None, str | None], bool], tests: Sequence[str]
) -> list[tuple[int, int]]:
    """Return the first metric's value of all stacks, and of those with a function of the library.

    The first pair is the sum of all stacks, and the others are the sums of those below a test.
    """
    stacks, frames = profile.stacks, profile.frames
    if stacks is None or not len(stacks.values):  # a program that ended at once
        return [(0, 0)] * (1 + len(tests))
    columns = zip(frames.names, frames.files, frames.modules, strict=True)
    own = list(starmap(known, columns))
    tree, rows = merged_paths(stacks.depth, stacks.frame)
    leaves, values = rows[stacks.leaf], stacks.values[0]
    inside = tree.below_symbols(own)[leaves]
    sums = [(int(values.sum() + stacks.root_values[0]), int(values[inside].sum()))]
    for test in tests:
        below = tree.below_symbols([test in {name, name.rpartition(".")[2]} for name in frames.names])[leaves]
        sums.append((int(values[below].sum()), int(values[below & inside].sum())))
    return sums


def _known(files: Files, checkout: str) -> Callable[[str, str | None, str | None], bool]:
    """Return a function that decides whether a frame is one of the library, by its name, file and module."""
    library = [path for path in files.tracked if not OTHERS.search(path) and not DEPENDENCIES.search(path)]
    paths, crates = RepositoryPaths(files.tracked, all_known=True), _crates(files)
    java = "\n".join(re.sub(r"^.*?src/(?:main/)?(?:java/|kotlin/)?", "", path) for path in library).replace("/", ".")
    classes = set(re.findall(r"^(.*)\.(?:java|kt)$", java, re.MULTILINE))
    defined, scopes = set[str](), set[str]()
    for path in library:
        if path.endswith((".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".hh", ".inc")):
            text = files.read(path)
            defined.update(re.findall(r"\b([A-Za-z_]\w{2,80})\s*\(", text))
            scopes.update(re.findall(r"\b(?:namespace|class|struct)\s+([A-Za-z_]\w{0,80})", text))
    defined -= {"main", "while", "for", "switch", "return", "sizeof", "operator", "std"}

    @cache
    def known(name: str, file: str | None, module: str | None) -> bool:
        if file and "/" in file:
            path = file.removeprefix("file://")
            inside = path.removeprefix(f"{checkout}/")
            found = paths.find(re.sub(r"^.*/(?:site|dist)-packages/", "", path)) or (inside if inside != path else None)
            return found is not None and not OTHERS.search(found) and not DEPENDENCIES.search(found)
        if crates and re.search(crates, name):
            return re.search(r"::tests?::", name) is None
        # the outermost scope of a C++ function, without its return type and arguments
        path = re.split(r"[<(]", name.replace("(anonymous namespace)::", ""), maxsplit=1)[0].rpartition(" ")[2]
        if path.partition("::")[0] in (scopes if "::" in path else defined):
            return module is None or module.startswith(f"{checkout}/")
        return name.partition("$")[0].rpartition(".")[0] in classes or name.partition("$")[0] in classes

    return known


def _crates(files: Files) -> str:
    """Return a pattern of the names of the repository's own Rust libraries at the start of a path, or ""."""
    texts = "".join(files.read(path) for path in files.listed("**/Cargo.toml") if not OTHERS.search(path))
    found = re.findall(r'^\[(?:package|lib)\][^\[]*?^name\s*=\s*"([\w-]{1,80})"', texts, re.MULTILINE)
    names = "|".join(sorted({name.replace("-", "_") for name in found}))
    return rf"(?:^|[<&( ])(?:{names})::" if found else ""
