"""Histories, reports, diffs and lock files in hostile shapes, which grow in proportion to a number."""

import json
import zlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np

from fuzz.other_entry_points import histories, reports, rows_of, small_json, with_rows
from profgate.history.packed_columns import columns_to_bytes

Shape = Callable[[int], bytes]
Row = list[Any]
LONGEST_TEXT = 1 << 20  # of a history


@cache
def _first_rows() -> dict[str, Row]:
    return {name: rows[0] for name, rows in rows_of(histories()[0]).items() if rows and name != "meta"}


def history(**tables: Callable[[Row], Iterable[Row]]) -> bytes:
    """A history with other rows in some tables. Functions make them from the first row."""
    first = _first_rows()
    made = {name: list(make(first.get(name, []))) for name, make in tables.items()}
    return with_rows({name: [row] for name, row in first.items()} | {"symbols": functions(2)} | made)


def ones(n: int) -> bytes:
    """Costs of ``n`` functions, as a reading stores them."""
    return columns_to_bytes(range(1, n + 1), np.ones(n, np.int64), np.ones(n, np.int64), None)


@cache
def equal(n: int) -> bytes:
    """The same function ``n`` times, which is stored in few bytes."""
    return columns_to_bytes([1] * n, np.ones(n, np.int64), np.ones(n, np.int64), None)


def functions(n: int) -> list[Row]:
    return [[k, f"f{k}", "a.py"] for k in range(1, n + 1)]


def own_readings(n: int) -> Callable[[Row], list[Row]]:
    return lambda row: [[k, *row[1:4], b"%d" % k, *row[5:]] for k in range(1, n + 1)]


def trends(n: int) -> str:
    return json.dumps(json.loads(small_json()[1]) * n)


HISTORIES: dict[str, Shape] = {
    "many commits": lambda n: history(
        commits=lambda row: [row, *([k, f"c{k}", f"c{k - 1}", k, "title"] for k in range(9, n + 9))]
    ),
    "many parents": lambda n: history(commits=lambda row: [[*row[:2], "c " * min(n, LONGEST_TEXT // 2), 0, ""]]),
    "many series": lambda n: history(series=lambda row: [row, *([k, f"s{k}", *row[2:]] for k in range(9, n + 9))]),
    "many readings": lambda n: history(
        readings=own_readings(n), measured=lambda row: [[k, *row[1:6], ones(1)] for k in range(1, n + 1)]
    ),
    "readings of many series": lambda n: history(
        series=lambda row: [[k, f"s{k}", *row[2:]] for k in range(1, n + 1)],
        readings=lambda row: [[k, k, *row[2:]] for k in range(1, n + 1)],
        measured=lambda row: [[k, *row[1:6], ones(1)] for k in range(1, n + 1)],
    ),
    "many metrics": lambda n: history(
        metrics=lambda row: [[k, f"m{k}", *row[2:]] for k in range(1, n + 1)],
        measured=lambda row: [[1, k, *row[2:6], ones(1)] for k in range(1, n + 1)],
    ),
    "many functions": lambda n: history(symbols=lambda _: functions(n), measured=lambda row: [[*row[:6], ones(n)]]),
    "another function in each reading": lambda n: history(
        symbols=lambda _: functions(n),
        readings=own_readings(n),
        measured=lambda row: [
            [k, *row[1:6], columns_to_bytes([k], np.ones(1, np.int64), np.ones(1, np.int64), None)]
            for k in range(1, n + 1)
        ],
    ),
    "well packed columns": lambda n: history(
        metrics=lambda row: [[k, f"m{k}", *row[2:]] for k in range(1, n + 1)],
        measured=lambda row: [[1, k, *row[2:6], equal(1000)] for k in range(1, n + 1)],
    ),
    "well packed profiles": lambda n: history(
        profiles=lambda row: [[k, f"d{k}", row[2], zlib.compress(b"main 1\n" * 1000)] for k in range(1, n + 1)],
        readings=lambda row: [[k, *row[1:4], b"%d" % k, row[5], k] for k in range(1, n + 1)],
    ),
    "many verdicts": lambda n: history(
        verdicts=lambda _: [[k, f"a{k}", "b", "j", "pass", 0, 1] for k in range(1, n + 1)]
    ),
    "many trends": lambda n: history(trends=lambda _: [[f"s{k}", trends(1)] for k in range(n)]),
    "long trends": lambda n: history(trends=lambda _: [["s", trends(min(n, LONGEST_TEXT // 400))]]),
}


def report(change: Callable[[dict[str, Any]], object]) -> bytes:
    """A report that a function changes."""
    document = json.loads(reports()[0])
    change(document)
    return json.dumps(document, separators=(",", ":")).encode()


def in_metric(change: Callable[[dict[str, Any]], object]) -> bytes:
    return report(lambda document: change(document["workloads"][0]["metrics"][0]))


def named(entry: dict[str, Any], n: int) -> list[dict[str, Any]]:
    """The entry ``n`` times, each for another location."""
    return [{**entry, "location": {**entry["location"], "name": f"f{k}"}} for k in range(n)]


def many(name: str, n: int) -> Callable[[dict[str, Any]], object]:
    """Replace a list by ``n`` entries that equal its last one, but for the location."""
    return lambda place: place.update({name: named(place[name][-1], n)})


FUNCTION = {"name": "f", "file": None, "line": None, "module": None}
TEXT = {"code": "text", "parameters": {"text": "t"}, "text": "t"}
TESTS = {"name": "5+5", "first": [[1.0] * 252, [1.0] * 252], "last": [[1.0] * 252, [1.0] * 252]}
ABSENT = {"metric": None, "side": "target", "reason": TEXT}
ACCEPTED = {"id": "a", "location": "f", "reason": "r", "by": "me", "link": ""}


def deep(n: int) -> dict[str, Any]:
    """A reason with ``n`` reasons behind it, one behind the other."""
    found: dict[str, Any] = TEXT
    for _ in range(min(n, 200)):
        found = {**TEXT, "reasons": [found]}
    return found


REPORTS: dict[str, Shape] = {
    "many workloads": lambda n: report(
        lambda one: one.update(workloads=[{**one["workloads"][0], "name": f"w{k}"} for k in range(n)])
    ),
    "one workload often": lambda n: report(lambda one: one.update(workloads=one["workloads"][:1] * n)),
    "many metrics": lambda n: report(
        lambda one: one["workloads"][0].update(
            metrics=[{**one["workloads"][0]["metrics"][0], "name": f"m{k}"} for k in range(n)]
        )
    ),
    "many unjudged locations": lambda n: in_metric(lambda one: one.update(unjudged=named(one["findings"][-1], n))),
    "many findings": lambda n: in_metric(many("findings", n)),
    "many strategies of a change": lambda n: in_metric(
        lambda one: one["findings"][-1].update(
            changes=[{**one["findings"][-1]["changes"][-1], "strategy": f"s{k}"} for k in range(n)]
        )
    ),
    "many notes of a change": lambda n: in_metric(
        lambda one: one["findings"][-1]["changes"][-1].update(details={f"e{k}": 1.0 for k in range(n)})
    ),
    "many renamed functions": lambda n: in_metric(lambda one: one.update(renamed=[[FUNCTION, FUNCTION]] * n)),
    "many counts": lambda n: in_metric(lambda one: one.update(counts={f"c{k}": k for k in range(n)})),
    "many runs": lambda n: in_metric(lambda one: one.update(runs={f"r{k}": k for k in range(n)} | one["runs"])),
    "many families": lambda n: report(lambda one: one.update(tests=[{**TESTS, "name": f"{k}+5"} for k in range(n)])),
    "one family often": lambda n: report(lambda one: one.update(tests=[TESTS] * n)),
    "many splits": lambda n: report(
        lambda one: one.update(tests=[{"name": "5+5", "first": [[1.0] * n] * 2, "last": [[1.0] * n] * 2}])
    ),
    "many warnings": lambda n: report(
        lambda one: one.update(warnings=[{**TEXT, "parameters": {"text": f"t{k}"}} for k in range(n)])
    ),
    "equal warnings": lambda n: report(lambda one: one.update(warnings=[TEXT] * n)),
    "deep reasons": lambda n: report(lambda one: one.update(warnings=[deep(n)] * (n // 200 + 1))),
    "parameters of a reason": lambda n: report(
        lambda one: one.update(warnings=[{**TEXT, "parameters": {f"p{k}": "t" for k in range(n)}}])
    ),
    "long text": lambda n: report(lambda one: one.update(warnings=[{**TEXT, "parameters": {"text": "`@a <b> " * n}}])),
    "long name": lambda n: in_metric(lambda one: one["findings"][-1]["location"].update(name="a::b<" * n)),
    "many absent workloads": lambda n: report(
        lambda one: one.update(not_compared=[{**ABSENT, "name": f"w{k}"} for k in range(n)])
    ),
    "many acceptances": lambda n: report(
        lambda one: one.update(acceptances=[{**ACCEPTED, "id": f"a{k}"} for k in range(n)])
    ),
    "acceptances and findings": lambda n: report(
        lambda one: (
            one.update(acceptances=[{**ACCEPTED, "id": f"a{k}", "location": f"f{k}"} for k in range(n)]),
            many("findings", n)(one["workloads"][0]["metrics"][0]),
        )
    ),
    "unknown keys": lambda n: report(lambda one: one.update({f"k{k}": k for k in range(n)})),
    "deep value": lambda n: b"[" * n,
    "large integer": lambda n: reports()[0].replace(b'"run_id":7741', b'"run_id":' + b"9" * n),
}


def patch(lines: Iterable[str], before: int, after: int) -> str:
    return f"@@ -1,{before} +1,{after} @@ def f():\n" + "".join(line + "\n" for line in lines)


def changed(name: str, text: str) -> str:
    return f"diff --git a/{name} b/{name}\nindex 1234567..4567890 100644\n--- a/{name}\n+++ b/{name}\n{text}"


DIFFS: dict[str, Shape] = {
    "many files": lambda n: "".join(changed(f"f{k}.py", patch(["+a"], 0, 1)) for k in range(min(n, 3_000))).encode(),
    "many hunks": lambda n: changed("a.py", "@@ -1 +1 @@\n-a\n+b\n" * n).encode(),
    "long hunk": lambda n: changed("a.py", patch(["+a"] * n, 0, n)).encode(),
    "many edits of a hunk": lambda n: changed("a.py", patch([" a", "-a", "+b"] * n, 2 * n, 2 * n)).encode(),
    "long line": lambda n: changed("a.py", patch(["+" + "a" * n], 0, 1)).encode(),
    "headers": lambda n: ("diff --git a/a b/a\n" + "--- a/a\n+++ b/a\n" * n).encode(),
    "facts of a file": lambda n: ("diff --git a/a b/a\n" + "rename from a\nrename to b\n" * n).encode(),
    "long name": lambda n: changed("a/" * n, patch(["+a"], 0, 1)).encode(),
    "quoted name": lambda n: b'diff --git "a/' + b"\\303\\251" * n + b'" "b/' + b"\\303\\251" * n + b'"\n',
    "damaged quotes": lambda n: b'diff --git "a/' + b'\\" "' * n + b"\n",
    "text after hunks": lambda n: changed("a.py", "@@ -1 +1 @@\n-a\n+b\n" + "text\n" * n).encode(),
    "no newline": lambda n: changed("a.py", "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n" * n).encode(),
    "GitHub's patch": lambda n: ("@@ -1 +1 @@\n-a\n+b\n" * n).encode(),
}


def npm(packages: object) -> bytes:
    return b"package-lock.json\n" + json.dumps({"packages": packages}).encode()


def uv(text: str) -> bytes:
    return f"uv.lock\n{text}".encode()


LOCKS: dict[str, Shape] = {
    "packages of uv": lambda n: uv("".join(f'[[package]]\nname = "a{k}"\nversion = "1"\n' for k in range(n))),
    "keys of a table": lambda n: uv("[a]\n" + "".join(f"k{k} = 1\n" for k in range(n))),
    "parts of keys": lambda n: uv("".join(f"a.b{k}.c = 1\n" for k in range(n))),
    "deep keys": lambda n: uv(("a." * 90 + "b\n") * (n // 90 + 1)),
    "deep tables": lambda n: uv("".join(f"[{'a.' * 90}b{k}]\n" for k in range(n // 90 + 1))),
    "long array": lambda n: uv("a = [" + "1," * n + "]\n"),
    "arrays in arrays": lambda n: uv("a = " + "[" * n),
    "inline tables": lambda n: uv("a = [" + "{b = 1}," * n + "]\n"),
    "inline table of many keys": lambda n: uv("a = {" + ", ".join(f"k{k} = 1" for k in range(n)) + "}\n"),
    "long text": lambda n: uv('a = "' + "\\u00e9" * n + '"\n'),
    "text of many lines": lambda n: uv('a = """' + "b\n" * n + '"""\n'),
    "comments": lambda n: uv("# a\n" * n),
    "large integer": lambda n: uv(f"a = {'9' * n}\n"),
    "hexadecimal integer": lambda n: uv(f"a = 0x{'9' * n}\n"),
    "packages of npm": lambda n: npm({f"node_modules/a{k}": {"version": "1"} for k in range(n)}),
    "folders of npm": lambda n: npm({"node_modules/a/" * n: {"version": "1"}}),
    "versions of npm": lambda n: npm({"node_modules/a": {"version": ["1"] * n}}),
    "deep JSON": lambda n: b"package-lock.json\n" + b"[" * n,
    "integer of npm": lambda n: b'package-lock.json\n{"packages": ' + b"9" * n + b"}",
    "go.sum": lambda n: b"go.sum\n" + b"".join(b"a.b/c%d v1.2.3 h1:x=\n" % k for k in range(n)),
    "long module of Go": lambda n: b"go.sum\n" + b"a." * n + b" v1",
    "folders of a module": lambda n: b"go.mod\nrequire a.b" + b"/c" * n + b"\n",
    "requirements": lambda n: b"requirements.txt\n" + b"".join(b"a%d==1.0\n" % k for k in range(n)),
    "extras of a requirement": lambda n: b"requirements.txt\na[" + b"b," * n + b"]==1\n",
    "brackets": lambda n: b"requirements.txt\n" + b"a[\n" * n,
    "blanks": lambda n: b"requirements.txt\n" + (b"a" + b" " * 1000 + b"\n") * (n // 1000 + 1),
}
