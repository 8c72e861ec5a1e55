from profgate.flamegraph.page_input import LIMIT, page_sources
from profgate.model.attribution import ChangedFile, Edit, Hunk, LineRange, SourceDiff, SourceState, SourceStates
from profgate.model.comparison import Symbols


def hunk(start: int, text: str, heading: str = "") -> Hunk:
    lines = LineRange(start, start + 5)
    return Hunk(lines, lines, heading, (Edit(lines, lines),), text)


DIFF = SourceDiff(
    (
        ChangedFile(
            "pkg/a.py",
            "pkg/old.py",
            "renamed",
            (hunk(10, "-x = parse(1)\n+x = parse(2)"), hunk(40, " a\n-b", "def render():"), hunk(90, "+c")),
        ),
    )
)


def symbols(*rows: tuple[str, int | None]) -> Symbols:
    names = [name for name, _ in rows]
    return Symbols(names, ["a.py"] * len(rows), [line for _, line in rows], [None] * len(rows), names)


def states(*known: SourceState, path: str | None = "pkg/a.py") -> SourceStates:
    return SourceStates(known, (path,) * len(known), (None,) * len(known))


def test_hunks_that_name_function_or_contain_line() -> None:
    given = symbols(("pkg.parse", 200), ("render", 999), ("other", 91), ("nobody", 45))
    found = page_sources(DIFF, states("changed", "changed", "changed", "changed"), given)
    assert [[start for start, _, _ in source["hunks"]] for source in found] == [[10], [40], [90], [40]]
    assert found[0]["paths"] == ("pkg/old.py", "pkg/a.py")
    assert found[0]["hunks"] == [(10, 10, ["-x = parse(1)", "+x = parse(2)"])]


def test_only_changed_functions_by_default() -> None:
    given = symbols(("parse", 10), ("render", 40))
    assert [one["symbol"] for one in page_sources(DIFF, states("same", "changed"), given)] == [1]
    assert [one["symbol"] for one in page_sources(DIFF, states("same", "changed"), given, "all")] == [0, 1]
    assert page_sources(DIFF, states("same", "changed"), given, "none") == []
    assert page_sources(DIFF, states("changed", "changed", path=None), given) == []


def test_source_is_limited() -> None:
    large = SourceDiff((ChangedFile("pkg/a.py", "pkg/a.py", "modified", (hunk(1, "+" * (LIMIT - 10)),)),))
    given = symbols(("a", 1), ("b", 2))
    assert [one["symbol"] for one in page_sources(large, states("changed", "changed"), given)] == [0]
    assert [one["symbol"] for one in page_sources(large, states("changed", "changed"), given, first={1})] == [1]
