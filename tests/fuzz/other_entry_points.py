"""The other entry points: containers, artifacts, reports, texts of people, sources, an untrusted history."""

import contextlib
import gzip
import hashlib
import io
import json
import sqlite3
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from backports import zstd
from msgspec import to_builtins

from fuzz.entry_point import DATA, EntryPoint
from fuzz.github_entry_point import GITHUB_ENTRY_POINT
from fuzz.mutation import JSON, Codec
from history_samples import reading
from profgate.action.github.artifact_source import checked_set
from profgate.action.github.downloads import read_zip
from profgate.attribution.dependencies import dependency_changes
from profgate.attribution.fingerprints import parsed_source
from profgate.attribution.frame_functions import frame_name
from profgate.attribution.unified_diff import TextBudget, parse_diff, parse_patch
from profgate.decide.judge.shards import Shard, merge_reports
from profgate.errors import ProfgateError, ProfileError, SettingsError
from profgate.history.history_file import FILE, check_file, connected_untrusted
from profgate.history.history_store import HistoryStore, open_history
from profgate.history.trend_report import trends_json, trends_lines
from profgate.history.trends import Trend, trends_of_text
from profgate.measuring.track.track_folder import record_from_json
from profgate.model.acceptance import in_comment
from profgate.model.attribution import ChangedFile, SourceDiff, SourceTexts
from profgate.model.change import OptionSpec
from profgate.model.frame_names import frame_key
from profgate.model.links import Links
from profgate.model.manifest import Manifest, ManifestFile, manifest_to_json
from profgate.model.policy import Policy
from profgate.model.run_context import TriggeringRun
from profgate.model.source import MANIFEST_NAME, source_of
from profgate.readers.registry import read_profile
from profgate.readers.source_map import BuiltScript, ScriptFunction, read_source_map
from profgate.report.comment import render_comment
from profgate.report.json_report import from_json, links_from_json, links_to_json, to_json
from profgate.report.markdown_text import code_span, sentence
from profgate.report.terminal_report import terminal_lines
from profgate.report.view import View
from profgate.settings.config_file import read_policy
from report_samples import hostile, regression
from source_map_samples import FUNCTIONS, MAP, SCRIPT, WITHOUT_NAMES

RUN = TriggeringRun(7, "pull_request", "success", "topic", "a" * 40, 2, "outsider", ".github/workflows/a.yml")
CHOICE = OptionSpec("way", "mean", "How.", choices=("mean", "median"))
CATALOGUE = {"eto": (OptionSpec("cutoff", 0.0, "Rows below are left out.", 0.0, 1.0), CHOICE), "bmoe": ()}
POLICY = (DATA / "policy" / "seed.yml").read_bytes()
ACCEPTING = (
    b"/profgate accept `ns::parse(int)` max=+40% file=src/parse.cpp: the new format needs it\n/profgate accept a: b\n",
    b"/profgate accept a" + b" " * 3_900 + b"x: y",
)
DIFF = (DATA / "diffs" / "seed.diff").read_bytes()
LOCKS = (
    b'uv.lock\n[[package]]\nname = "numpy"\nversion = "2.1"\n',
    b'package-lock.json\n{"packages": {"node_modules/a": {"version": "1.0"}}}',
    b'package-lock.json\n{"dependencies": {"a": {"version": "1.0"}}}',
    b"go.sum\ngithub.com/a/b v1.2.3 h1:x=\ngithub.com/a/b v1.2.3/go.mod h1:y=\n",
    b"requirements.txt\nnumpy[x]==2.1  # why\n",
    b"requirements.txt\n" + b"a[\n" * 5_000,
    b"go.mod\n" + b"\n" * 5_000 + b"a." * 5_000,
)


def text_of(data: bytes) -> str:
    """As GitHub and the disk give texts: damaged letters become signs."""
    return data.decode("utf-8", "replace")


NAMES = (  # each repeats what a pattern of `frame_names` or `frame_functions` looks for, without its end
    *(b"f (" + b"A." * 5_000, b"f.constprop.1" * 2_000 + b"x", b"g@v1.2." + b"1" * 20_000, b"/tmp/" + b"1" * 20_000),
    *(b"{lambda(" * 2_000, b"<a as " * 3_000, b"operator" + b" " * 9_000, b"f [clone " * 2_000, b"f<[" * 7_000),
)


def take_names(data: bytes) -> str:
    """The name of a frame, as key, as folded stack, and as the name of a function in each language."""
    name = text_of(data)
    frame_key(name, None, None)
    for language in ("python", "javascript", "go", "java", "cpp", "rust"):
        frame_name(name, language)
    code_span(name), sentence(name)
    return "a path" if name.startswith("/") else "read"


# --- containers and artifacts ----------------------------------------------------------------------------------------


def take_container(data: bytes) -> str:
    """A packed profile, or a text in another encoding, from its own bytes to the columns."""
    return read_profile(source_of("p", data)).facts.format


def containers() -> list[bytes]:
    text = b"main;parse 10\nmain 5\n"
    twice = gzip.compress(text, mtime=0) + gzip.compress(text, mtime=0)
    packed = [zstd.compress(text), twice, gzip.compress(zstd.compress(twice), mtime=0), zstd.compress(twice) * 2]
    return [*packed, b"\xef\xbb\xbf" + text, text.decode().encode("utf-16")]


def take_artifact(data: bytes) -> str:
    """What a fork's run stored: a zip with a manifest, and profiles that are read."""
    stored = checked_set(read_zip(data), RUN)
    for source in stored.files:
        read_profile(source)
    return "read"


def zipped(members: Any) -> bytes:
    """Members as [name, content, mode, flags, how often], packed; the manifest's digests are made to fit."""
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w") as archive:
        warnings.simplefilter("ignore")  # of duplicates
        for name, content, mode, flags, often in members:
            entry = zipfile.ZipInfo(str(name))
            entry.create_system, entry.external_attr, entry.flag_bits = (
                3,
                int(mode) << 16 & 0xFFFFFFFF,
                int(flags) & 0xFFFF,
            )
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, str(content).encode("latin-1", "replace") * min(abs(int(often)), 1 << 14))
    return buffer.getvalue()


def members_of(data: bytes) -> list[list[Any]]:
    """The members of a zip as lists, to be changed."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        found = archive.infolist()
        if sum(one.file_size for one in found) > 1 << 20:
            raise ValueError("too large to be taken apart")
        return [
            [one.filename, archive.read(one).decode("latin-1"), one.external_attr >> 16, one.flag_bits, 1]
            for one in found
        ]


def artifact(*members: tuple[str, bytes], **more: Any) -> bytes:
    """An artifact as a pull request run stores it."""
    files = tuple(ManifestFile(name, hashlib.sha256(data).hexdigest(), "folded") for name, data in members)
    manifest = Manifest(**{"run_id": 7, "event": "pull_request", "commit": "b" * 40, "files": files, **more})
    packed = [(MANIFEST_NAME, manifest_to_json(manifest).encode()), *members]
    return zipped([[name, data.decode("latin-1"), 0o100644, 0, 1] for name, data in packed])


def artifacts() -> list[bytes]:
    profile = ("cpu/a.folded", b"main;parse 10\n")
    return [artifact(profile), artifact(profile, ("b.folded", b"main 3\n"), ref="refs/pull/7/merge", cpu_model="x")]


def take_report(data: bytes) -> str:
    """A report that a leg stored: judged anew, shown as comment and in a terminal, written again."""
    report, _ = merge_reports([Shard("a", from_json(text_of(data)))], Policy())
    render_comment(View(report), links=Links())
    terminal_lines(View(report), verbose=True)
    from_json(to_json(report))
    return "read"


def reports() -> list[bytes]:
    return [to_json(regression()).encode(), to_json(hostile()).encode()]


def take_small_json(data: bytes) -> str:
    """Small files of ours that come back from places where others write."""
    text = text_of(data)
    trends = trends_of_text(text)
    trends_lines(trends, {})
    trends_json(trends, [], 0)
    known = record_from_json(text) is not None or bool(trends)
    try:
        links_from_json(text)
    except ProfgateError:
        return "known" if known else "unknown"
    return "known"


def small_json() -> list[bytes]:
    links = links_to_json(Links(pages={("w", "m"): "https://x.example/1"}, index="https://x.example/2"))
    trend = Trend("s", "w", "t", "seconds", "lower", "a", 1.0, 2.0, 0.01)
    metric = {"name": "t", "unit": "seconds", "better": "lower", "kind": "timed"}
    value = {"benchmark": "b", "metric": metric, "value": 1.5, "file": "a.py", "line": 3, "source": None}
    record = {"values": [value], "seconds": 2.0, "machine": "m", "problem": "", "warnings": ["w"]}
    return [
        links.encode(),
        json.dumps([to_builtins(trend)]).encode(),
        json.dumps({"schema": "profgate.track-run/1", **record}).encode(),
    ]


# --- texts of people -------------------------------------------------------------------------------------------------


def take_policy(data: bytes) -> str:
    read_policy(text_of(data), "profgate.yml", CATALOGUE)
    return "read"


def take_acceptance(data: bytes) -> str:
    text = text_of(data)
    return "accepted" if in_comment(text, 3) else "nothing"


def take_diff(data: bytes) -> str:
    text = text_of(data)
    parse_patch(text, TextBudget())
    parse_diff(text, "pull.diff")
    return "read"


def take_lock(data: bytes) -> str:
    """Both sides of a lock file; its name stands in the first line."""
    name, _, text = text_of(data).partition("\n")
    texts = SourceTexts({name: ""}, {name: text})
    found = dependency_changes(SourceDiff((ChangedFile(name, name, "modified"),), texts=texts))
    return "read" if found.moved else "nothing"


def take_source_map(data: bytes) -> str:
    """A source map, with which functions of a script are named."""
    script = BuiltScript(SCRIPT, read_source_map(data, "a.js.map"))
    found = [script.origin(ScriptFunction(*function)) for function in FUNCTIONS]
    return "found" if any(found) else "read"


def take_sources(language: str) -> Callable[[bytes], str]:
    """Functions of a source in this language."""

    def take(data: bytes) -> str:
        return "refused" if parsed_source(f"a.{language}", text_of(data)) is None else "read"

    return take


def sources(folder: str) -> Callable[[], list[bytes]]:
    return lambda: [path.read_bytes() for path in sorted((DATA / "changes" / folder / "after").rglob("*.*"))]


# --- a history that somebody else made -------------------------------------------------------------------------------


@cache
def _place() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="history-")
    _KEPT.append(folder)
    return Path(folder.name)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def take_history(data: bytes) -> str:
    """As `open_untrusted` does, with the check of the file in this process."""
    place = _place() / "strange.sqlite"
    place.write_bytes(data)
    check_file(place)
    with connected_untrusted(place) as connection:
        store = HistoryStore(connection, place)
        list(store.readings(profiles=True))
        for series in store.series():
            store.measured_commits(series.key)
        store.commits()
        for text in store.reported_trends().values():
            trends_of_text(text)
    return "read"


def histories() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder, open_history(folder, write=True) as store:
        store.add([reading(f"main;f{number} {number}\nmain 3\n", f"c{number}", keep=True) for number in (1, 2, 3)])
        return [(Path(folder) / FILE).read_bytes()]


def rows_of(data: bytes) -> dict[str, list[list[Any]]]:
    """The rows of each table."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(data)
        connection.text_factory = lambda text: text.decode("latin-1")
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: [list(row) for row in connection.execute(f'SELECT * FROM "{name}"')] for name in names}  # noqa: S608


def with_rows(tables: Any) -> bytes:
    """The first history with these rows in place of its own."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(histories()[0])
        for name, rows in tables.items():
            if str(name).startswith("sqlite_"):
                continue
            with contextlib.suppress(sqlite3.Error, OverflowError):
                connection.execute(f'DELETE FROM "{name}"')  # noqa: S608
            for row in rows:
                with contextlib.suppress(sqlite3.Error, OverflowError, TypeError):
                    signs = ", ".join("?" * len(row))
                    connection.execute(f'INSERT INTO "{name}" VALUES ({signs})', row)  # noqa: S608
        connection.commit()
        return connection.serialize()


LANGUAGES = {
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "go": "go",
    "rs": "rust",
    "java": "java",
    "cpp": "cpp",
}
OTHER_ENTRY_POINTS = (
    EntryPoint("names", take_names, lambda: NAMES, ()),
    EntryPoint("containers", take_container, containers, (ProfileError,)),
    EntryPoint("artifact", take_artifact, artifacts, (ProfileError,), (Codec(members_of, zipped),)),
    EntryPoint("report", take_report, reports, (ProfgateError,), (JSON,)),
    EntryPoint("small-json", take_small_json, small_json, (), (JSON,)),
    EntryPoint("policy", take_policy, lambda: [POLICY, b"gate:\n  fail_on: severe\n"], (SettingsError,)),
    EntryPoint("acceptance", take_acceptance, lambda: ACCEPTING, ()),
    EntryPoint("diff", take_diff, lambda: [DIFF], (ProfgateError,)),
    EntryPoint("lock", take_lock, lambda: LOCKS, ()),
    EntryPoint("source-map", take_source_map, lambda: [MAP, WITHOUT_NAMES], (ProfileError,), (JSON,)),
    EntryPoint("history", take_history, histories, (ProfgateError,), (Codec(rows_of, with_rows),)),
    GITHUB_ENTRY_POINT,
    *(EntryPoint(f"sources-{end}", take_sources(end), sources(name), ()) for end, name in LANGUAGES.items()),
)
