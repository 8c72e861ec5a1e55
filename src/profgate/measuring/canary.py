"""Plants work of a known size in a hot function, and checks that a gate reported it.

The planted code runs when a call of the function ends, about once in ten milliseconds. It then computes until it has
taken the requested share of the processor time of the process so far. Therefore, the size depends neither on the number
of calls nor on the machine, and holds for any part of the run that is recorded.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from textwrap import indent
from typing import TYPE_CHECKING

from profgate.attribution.frame_functions import frame_name
from profgate.attribution.grammars import GRAMMARS, language_of, parser_of
from profgate.attribution.reach import BENCHMARK
from profgate.attribution.source_states import Sides
from profgate.attribution.syntax_names import name_parts
from profgate.decide.detect.location_costs import same_file
from profgate.errors import ProfgateError
from profgate.model.attribution import SourceDiff
from profgate.model.comparison import Comparison
from profgate.model.plant import Plant
from profgate.model.policy import Policy
from profgate.model.report import Finding, Report
from profgate.pipeline import overlays, two_sides
from profgate.report.assets import read_asset

if TYPE_CHECKING:
    from tree_sitter import Node

MARK = "profgate canary: never merge this"
LEAST, LARGEST = 0.01, 0.25  # shares of a run; in a larger function, planted work is a smaller change
STATE = f"_profgate_canary = dict(left=0, step=0, last=0, spent=0, start=__import__('time').process_time())  # {MARK}"


def hot_functions(
    baselines: Sequence[str], checkout: SourceDiff
) -> tuple[list[tuple[float, str, str]], tuple[str, ...]]:
    """Return the functions of the repository, best first for planting, and the workloads of all baselines.

    ``checkout`` lists the files of the repository. A function has its largest share of a workload with its callees, its
    name and its file. The best one is the hottest one outside of benchmarks that takes at most a quarter of the run.
    """
    shares, workloads = defaultdict[tuple[str, str], float](float), tuple[str, ...]()
    for baseline in baselines:
        firsts = dict[str, Comparison]()  # of the first metric
        for comparison in overlays(two_sides(baseline, baseline, Policy())):
            firsts.setdefault(comparison.workload, comparison)
        workloads += tuple(firsts)
        for comparison in firsts.values():
            costs = comparison.total_value.sum(axis=0) / max(1, comparison.run_totals.sum())
            names, paths = comparison.symbols.names, Sides(comparison, checkout).paths
            for name, path, share in zip(names, paths, costs.tolist(), strict=True):
                if path is not None and share >= LEAST:
                    shares[name, path] = max(shares[name, path], share)
    found = [(share, *place) for place, share in shares.items()]
    best_first = sorted(found, key=lambda hot: (hot[0] > LARGEST, abs(hot[0] - LARGEST), hot))
    return sorted(best_first, key=lambda hot: BENCHMARK.search(hot[2]) is not None), workloads


def planted(path: str, source: bytes, function: str, size: float) -> bytes:
    """Return the source with work in a function, which adds the share ``size`` to each run.

    Raises ProfgateError if the function is not found once, or if the work cannot be added.
    """
    language = language_of(path)
    edit = {"python": _in_python, "javascript": _in_javascript, "go": _in_go}.get(language or "")
    if language is None or edit is None:
        raise ProfgateError(path, "is not written in Python, JavaScript or Go; only these can be changed")
    if MARK.encode() in source:
        raise ProfgateError(path, "contains planted work already; restore the file first")
    root, name = parser_of(language).parse(source).root_node, frame_name(function, language)
    functions = [
        (one, above) for one, above in _walk(root) if one.is_named and one.type in GRAMMARS[language].functions
    ]
    found = [one for one, above in functions if _is_end(name_parts(language, one, above, 0)[0], name.parts)]
    if len(found) != 1 or name.nameless or name.within or name.module:
        raise ProfgateError(path, f"{len(found)} named functions are {function[:80]!r}, not one; name another one")
    node, body = found[0], found[0].child_by_field_name("body")
    if body is None or node.has_error or b"yield" in (node.text or b""):  # a generator may never end
        raise ProfgateError(path, f"{function[:80]!r} is a generator or cannot be parsed; name another function")
    code = read_asset(f"canary/{language}.txt").replace("SHARE", repr(size)).replace("MARK", MARK)
    changed = edit(source, root, node, body, code)
    is_valid = parser_of(language).parse(changed).root_node.has_error <= root.has_error
    if not is_valid or changed.rfind("\N{ZERO WIDTH NO-BREAK SPACE}".encode()) > 0:  # a mark only begins a file
        raise ProfgateError(path, f"{function[:80]!r} cannot be changed; name another function")
    return changed


def unseen(plant: Plant, report: Report, result: str | None, comment: str | None) -> list[str]:
    """Return what a gate did not show: sentences about the report, the result of its check and its comment."""
    verdict, name = report.verdict, plant.function.rpartition(".")[2]  # a comment may shorten the name

    def is_planted(finding: Finding) -> bool:
        location = finding.explained_by or finding.location
        return location.name == plant.function and same_file(location.file, plant.file)

    red = [finding for _, _, finding in report.findings if finding.colour == "red" and not finding.is_total]
    others = sorted({finding.location.name for finding in red if not is_planted(finding)})
    names = [load.name for load, metric in report.metrics if metric.state == "compared"]
    compared = Counter(name.partition(" [")[0] for name in dict.fromkeys(names))
    lost = Counter(name.partition(" [")[0] for name in plant.workloads) - compared
    checks = (
        (result in (None, "failure"), f"the check ended with {result!r}, not with 'failure'"),
        (verdict.fails, f"the verdict is {verdict.conclusion!r}, which does not fail"),
        (any(map(is_planted, red)), f"{plant.function} ({plant.file}) is not red"),
        (not others, f"red without planted work: {', '.join(others[:5])}"),
        (not lost, f"not compared: {', '.join(lost)}"),
        (comment is None or name in comment, "the comment does not name the function"),
    )
    return [text for holds, text in checks if not holds]


def _walk(root: "Node") -> Iterator[tuple["Node", tuple["Node", ...]]]:
    """Yield all nodes below a node with the last ancestors of each."""
    waiting: list[tuple[Node, tuple[Node, ...]]] = [(root, ())]
    while waiting:
        node, above = waiting.pop()
        yield node, above
        waiting += [(child, (*above[-2:], node)) for child in node.children]


def _is_end(parts: Sequence[str], name: Sequence[str]) -> bool:
    pairs = zip(reversed(parts), reversed(name), strict=False)
    return bool(parts and name) and all(one == other for one, other in pairs)


def _in_python(source: bytes, root: "Node", node: "Node", body: "Node", code: str) -> bytes:
    """Put the statements after the documentation into ``try`` and the code into ``finally``."""
    lines = source.split(b"\n")
    statements = [one for one in body.named_children if one.type != "comment"]
    first, last = statements[0], statements[-1].end_point[0]
    if first.type == "expression_statement" and first.named_children[0].type == "string":
        first = statements[len(statements) > 1]
    head = lines[node.start_point[0]]
    outer, inner = head[: len(head) - len(head.lstrip())], lines[first.start_point[0]][: first.start_point[1]]
    if inner.strip():  # the body is in the line of the head
        first, inner = statements[0], outer + (b"\t" if outer.startswith(b"\t") else b"    ")
    row, column = first.start_point
    step, end = inner.removeprefix(outer), b"\r" * lines[0].endswith(b"\r")
    head, lines[row] = lines[row][:column].rstrip(), inner + lines[row][column:]
    strings = [one for one, _ in _walk(node) if one.type == "string"]  # whose text must not change
    quoted = {line for one in strings for line in range(one.start_point[0] + 1, one.end_point[0] + 1)}
    moved = [line if number in quoted else step + line for number, line in enumerate(lines[row : last + 1], row)]
    added = [inner + line.encode() + end for line in (f"finally:  # {MARK}", *indent(code, step.decode()).splitlines())]
    new = [*([head + end] if head else []), inner + b"try:" + end, *moved, *added]
    top = next(one for one in root.children if one.end_byte > node.start_byte).start_point[0]
    return b"\n".join([*lines[:top], STATE.encode() + end, *lines[top:row], *new, *lines[last + 1 :]])


def _in_javascript(source: bytes, _: "Node", __: "Node", body: "Node", code: str) -> bytes:
    """Put the body into ``try`` and the code into ``finally``."""
    before, text, after = source[: body.start_byte], source[body.start_byte : body.end_byte], source[body.end_byte :]
    if body.type != "statement_block":
        text = b"{ return (%b); }" % text
    return b"%b{ try %b finally { %b} }%b" % (before, text, code.encode(), after)


def _in_go(source: bytes, root: "Node", _: "Node", body: "Node", code: str) -> bytes:
    """Defer a call of a new function."""
    package = next(one.end_byte for one in root.children if one.type == "package_clause")
    imports, code = code.split("\n", 1)
    place = body.start_byte + 1
    parts = imports.encode(), source[package:place], b" defer profgateCanary();", source[place:], code.encode()
    return source[:package] + b"".join(parts)
