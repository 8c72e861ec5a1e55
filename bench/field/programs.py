"""The programs that `./run bench field` records, and the edits that make their variants."""

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER, EDITS = HERE / "sources", HERE / "edits"
PY_SPY, NODE, PERF, CALLGRIND = "py-spy", "node", "perf", "callgrind"
SUFFIXES = {PY_SPY: "speedscope.json", NODE: "cpuprofile", PERF: "perf.txt", CALLGRIND: "callgrind"}
LIBRARY = "mistune==3.1.4"  # what the program `markdown` uses
FINE = ("numeric", "interpreter", "text")  # programs with plants of 1 and 3 % as well

# the size of a function before it grows
SMALL, MIDDLE, LARGE, HUGE = "small", "middle", "large", "huge"


@dataclass(frozen=True, slots=True)
class Growth:
    """A function takes ``percent`` of the run more than before."""

    function: str
    percent: int


@dataclass(frozen=True, slots=True)
class NewFunction:
    """A new callee of ``caller`` takes ``percent`` of the run."""

    caller: str
    percent: int


@dataclass(frozen=True, slots=True)
class Rename:
    """A function gets another name, in all files."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The same cost in other functions: ``file`` holds pieces of text and what replaces them."""

    file: Path


@dataclass(frozen=True, slots=True)
class Slower:
    """All work takes this many times as long."""

    factor: float


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another process uses the same processor during the recording."""


Edit = Growth | NewFunction | Rename | Rewrite | Slower | Neighbour


@dataclass(frozen=True, slots=True)
class Program:
    """A program with the functions that grow, by their size.

    ``rounds`` are about two seconds of work. A function is ``Class.function`` or, in another file than the program's,
    ``file:Class.function``; ``caller`` calls new ones. Rules may be developed on programs that are not ``held_out``.
    """

    name: str
    file: str
    recorder: str
    rounds: int
    held_out: bool
    grows: dict[str, str]
    caller: str
    renamed: Rename

    @property
    def exact(self) -> bool:
        """Whether the recorder counts instead of sampling."""
        return self.recorder == CALLGRIND


def variants_of(program: Program) -> dict[str, Edit]:
    """Names and edits; ``unchanged`` is not among them."""
    found: dict[str, Edit] = {f"new-{percent}": NewFunction(program.caller, percent) for percent in (5, 10, 20)}
    middle = (1, 3, 5, 10) if program.name in FINE else (5, 10)
    for size, percents in {SMALL: (5,), MIDDLE: middle, LARGE: (10,), HUGE: (20,)}.items():
        if size in program.grows:
            found |= {f"{size}-{percent}": Growth(program.grows[size], percent) for percent in percents}
    found["renamed"] = program.renamed
    found |= {path.name.split(".")[2]: Rewrite(path) for path in sorted(EDITS.glob(f"{program.file}.*"))}
    if not program.exact:
        found |= {"neighbour": Neighbour(), "everything-1.15": Slower(1.15)}
    return found


NATIVE_GROWS = {SMALL: "multiply", MIDDLE: "generate", LARGE: "checksum"}
NATIVE_RENAMED = Rename("smooth(", "moving_average(")

PROGRAMS = (
    Program(
        "numeric",
        "numeric.py",
        PY_SPY,
        1000,
        False,
        {SMALL: "energy", MIDDLE: "digest", LARGE: "integrate", HUGE: "advance"},
        "simulate",
        Rename("smooth", "smoothed_values"),
    ),
    Program(
        "interpreter",
        "interp.py",
        PY_SPY,
        3800,
        False,
        {SMALL: "folded", MIDDLE: "Machine.execute", LARGE: "Machine.binary", HUGE: "Machine.value"},
        "evaluate",
        Rename("execute", "perform"),
    ),
    Program(
        "sockets",
        "sockets.py",
        PY_SPY,
        500,
        True,
        {SMALL: "frequencies", MIDDLE: "tokens", LARGE: "distance"},
        "answer",
        Rename("tokens(", "split_words("),
    ),
    Program(
        "short",
        "short.py",
        PY_SPY,
        150,
        False,
        {SMALL: "deviation", MIDDLE: "row", LARGE: "parse", HUGE: "generate"},
        "report",
        Rename("amount", "value_of_order"),
    ),
    Program(
        "records",
        "records.py",
        PY_SPY,
        680,
        False,
        {SMALL: "changed", MIDDLE: "indexed", LARGE: "Node.__init__", HUGE: "snapshot"},
        "batch",
        Rename("fields_of", "document_fields"),
    ),
    Program(
        "text",
        "text.py",
        PY_SPY,
        430,
        False,
        {SMALL: "route", MIDDLE: "words", LARGE: "escaped"},
        "analyse",
        Rename("escaped", "escaped_text"),
    ),
    Program(
        "markdown",
        "library.py",
        PY_SPY,
        330,
        False,
        {
            SMALL: "mistune/util.py:escape",
            MIDDLE: "mistune/renderers/html.py:HTMLRenderer.render_token",
            LARGE: "mistune/block_parser.py:BlockParser.parse",
        },
        "mistune/markdown.py:Markdown.parse",
        Rename("render_tokens", "render_all_tokens"),
    ),
    Program(
        "orders",
        "orders.js",
        NODE,
        1000,
        False,
        {SMALL: "sorted", MIDDLE: "smooth", LARGE: "checksum"},
        "round",
        Rename("smooth", "movingAverage"),
    ),
    Program("native", "native.c", PERF, 8500, True, NATIVE_GROWS, "batch", NATIVE_RENAMED),
    Program("instructions", "native.c", CALLGRIND, 40, False, NATIVE_GROWS, "batch", NATIVE_RENAMED),
    Program(
        "search",
        "search.py",
        PY_SPY,
        520,
        True,
        {SMALL: "common_prefix", MIDDLE: "document", HUGE: "stem"},
        "session",
        Rename("contribution", "part_of_score"),
    ),
    Program(
        "paths",
        "paths.js",
        NODE,
        6500,
        True,
        {SMALL: "blurred", MIDDLE: "rooms", LARGE: "shortest"},
        "round",
        Rename("neighbours", "free_cells"),
    ),
    Program(
        "rules",
        "rules.py",
        PY_SPY,
        14000,
        True,
        {SMALL: "balanced", MIDDLE: "digest", LARGE: "built"},
        "study",
        Rename("multiplied", "simplest_product"),
    ),
    Program(
        "pack",
        "pack.c",
        PERF,
        4000,
        True,
        {SMALL: "coded_bits", MIDDLE: "code_lengths", LARGE: "match_length", HUGE: "longest"},
        "pack",
        Rename("match_length", "common_length"),
    ),
)
