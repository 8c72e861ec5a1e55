"""Parsers for acceptances, which are pull request comments or trailers in commit messages.

    /profgate accept parse_headers: the new format needs it
    /profgate accept `ns::parse(int)` max=+40% file=src/parse.cpp: the new format needs it
    /profgate accept-removal bench/parse: the old format is gone
    Profgate-Accepted: parse_headers max=+40% the new format needs it

A command must be at the very beginning of a comment, so that quoted text, hidden text and code are never treated as
commands. A trailer must be in the last paragraph of a commit message, and that paragraph must contain only trailers.
"""

import hashlib
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from profgate.model.reason import Reason, ReasonCode
from profgate.model.visible_text import cut, name_text, plain

Place = tuple[str, str | None, str, str]  # visible name, file, workload and metric of a finding
AcceptanceState = Literal["open", "applies", "unused", "exceeded", "refused"]

MOST_COMMANDS = 20  # maximum number of commands in one comment or commit
LONGEST_LINE = 4_000
LONGEST_REASON = 300
ROOM = 1.25  # limit of an acceptance without max=, as a multiple of the displayed growth
MOST_SHOWN = 40  # maximum number of findings whose growth is stored in a comment
DIGEST = 16  # number of hexadecimal digits
LARGEST_LIMIT = 1000.0  # growth as a fraction; limits above this value are rejected
COMMAND = re.compile(r"/profgate(?=\s|$)\s*(.*)")
TRAILER = re.compile(r"([A-Za-z0-9][A-Za-z0-9-]*): *+(.*)")
TRAILER_NAME = "profgate-accepted"
REMOVAL = "accept-removal"  # only in comments, because the author of the removal also writes its commits
QUOTED = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
OPTION = re.compile(r"\s*\b(max|file|workload|metric)=(?:(`+)(?!`)(.+?)(?<!`)\2(?!`)|([^\s:`]+))")
NAME_END = re.compile(r"(?<!\s)\s++(?=(?:max|file|workload|metric)=)|:(?=\s|$)")
PERCENT = re.compile(r"\+?([0-9]{1,6}(?:\.[0-9]{1,3})?)%")
TIMES = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,3})?)x")
MARKER = re.compile(r"\s*<!-- profgate v1 ([^<>\n]{1,12000}) -->")
NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?(?:e[+-][0-9]{1,3})?")
PLAIN_NAME = re.compile(r"(?!.*::?(?:\s|$))[^\s`]+")


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A request to accept a regression in a named location.

    ``limit`` is the largest accepted growth as a fraction (0.3 = +30 %), or None if it has not been measured yet.
    ``file``, ``workload`` and ``metric`` restrict the acceptance. ``remark`` explains ``state``. If ``removal`` is
    True, ``location`` is a workload that the pull request no longer measures.
    """

    id: str
    location: str
    reason: str
    by: str = ""
    link: str = ""
    file: str | None = None
    workload: str | None = None
    metric: str | None = None
    limit: float | None = None
    state: AcceptanceState = "open"
    remark: Reason | None = None
    removal: bool = False


def in_comment(body: str, number: int) -> tuple[Acceptance, ...]:
    """Return the commands at the beginning of the comment whose id is ``number``, and ignore any text that follows."""
    found: list[Acceptance] = []
    for line in body.replace("\r\n", "\n").split("\n"):
        if not line.strip() and not found:
            continue
        command = COMMAND.fullmatch(line[:LONGEST_LINE].rstrip())
        if command is None or len(found) == MOST_COMMANDS:
            break
        verb, *rest = command[1].split(None, 1) or [""]
        name = f"{number}.{len(found)}"
        if verb in {"accept", REMOVAL}:
            found.append(replace(_request(name, "".join(rest), colon=True), removal=verb == REMOVAL))
        else:
            found.append(_refused(name, ReasonCode.UNKNOWN_COMMAND))
    return tuple(found)


def in_commit(message: str, sha: str) -> tuple[Acceptance, ...]:
    """Return the acceptance trailers of a commit message."""
    subject, _, rest = message.replace("\r\n", "\n").strip().partition("\n\n")
    block = rest.split("\n\n")[-1] if subject else ""
    trailers: list[tuple[str, str]] = []
    for line in block.split("\n"):
        trailer = TRAILER.fullmatch(line[:LONGEST_LINE].rstrip())
        if trailer is not None:
            trailers.append((trailer[1].lower(), trailer[2]))
        elif trailers and line.startswith((" ", "\t")):
            trailers[-1] = (trailers[-1][0], f"{trailers[-1][1]} {line.strip()}"[:LONGEST_LINE])
        else:
            return ()
    values = [value for name, value in trailers if name == TRAILER_NAME][:MOST_COMMANDS]
    return tuple(_request(f"{sha[:12]}.{place}", value, colon=False) for place, value in enumerate(values))


def command_for(location: str, growth: float, file: str | None = None) -> str:
    """Return a comment that accepts 1.25 times a growth, or any if it is huge. An ambiguous name needs ``file``."""
    place = f" file={_quoted(file)}" if file else ""
    limit = f" max=+{math.ceil(100 * ROOM * growth)}%" if ROOM * growth <= LARGEST_LIMIT else ""
    return f"/profgate accept {_quoted(name_text(location))}{limit}{place}: "


def removal_command(workload: str) -> str:
    """Return a comment that accepts that a workload is no longer measured, but gives no reason."""
    return f"/profgate {REMOVAL} {_quoted(name_text(workload))}: "


def limits_text(acceptances: Iterable[Acceptance]) -> str:
    """Return the valid limits as text, which profgate's comment stores so that later pushes do not raise them."""
    known = [item for item in acceptances if item.limit is not None and item.state != "refused"]
    return ",".join(f"{item.id}:{item.limit:.6g}" for item in known)


def remembered_limits(body: str) -> dict[str, float]:
    """Return the limits, by acceptance id, that are stored in the first line of profgate's own comment."""
    return dict(_stored(body, "accepted"))


def remembering(body: str, acceptances: Iterable[Acceptance]) -> str:
    """Return profgate's own comment with the limits of these acceptances in its first line."""
    found, limits = MARKER.match(body), limits_text(acceptances)
    if found is None or not limits:
        return body
    fields = [field for field in found[1].split(" ") if not field.startswith("accepted=")]
    return f"<!-- profgate v1 {' '.join(fields)} accepted={limits} -->{body[found.end() :]}"


def shown_text(growths: Iterable[tuple[Place, float]]) -> str:
    """Return the growth of the findings as text for the profgate comment that shows these findings."""
    return ",".join(f"{''.join(map(_digest, place))}:{growth:.6g}" for place, growth in islice(growths, MOST_SHOWN))


def shown_growth(body: str, acceptance: Acceptance) -> float | None:
    """Return the largest growth that profgate's own comment shows for an accepted location, or None."""
    names = (name_text(acceptance.location), acceptance.file, acceptance.workload, acceptance.metric)
    pattern = re.compile("".join("." * DIGEST if name is None else _digest(name) for name in names))
    return max((growth for place, growth in _stored(body, "shown") if pattern.fullmatch(place)), default=None)


def _stored(body: str, name: str) -> Iterator[tuple[str, float]]:
    """Yield each key and number in a field on the first line of profgate's own comment."""
    found = MARKER.match(body)
    for field in found[1].split(" ") if found is not None else ():
        for entry in field.removeprefix(f"{name}=").split(",") if field.startswith(f"{name}=") else ():
            key, _, number = entry.partition(":")
            if NUMBER.fullmatch(number) and 0 < float(number) < float("inf"):
                yield key, float(number)


def _digest(text: str | None) -> str:
    return hashlib.sha256((text or "").encode("utf-8", "replace")).hexdigest()[:DIGEST]


def _quoted(text: str) -> str:
    if PLAIN_NAME.fullmatch(text):
        return text
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _request(name: str, text: str, *, colon: bool) -> Acceptance:
    location, rest = _location(text.strip(), colon=colon)
    if not location:
        return _refused(name, ReasonCode.NO_LOCATION)
    options: dict[str, str] = {}
    while (option := OPTION.match(rest)) is not None:
        options.setdefault(option[1], _unpadded(option[3]) if option[3] else option[4])
        rest = rest[option.end() :]
    rest = rest.strip()
    reason = cut(plain(rest.removeprefix(":")), LONGEST_REASON)
    limit = _limit(options["max"]) if "max" in options else None
    remark = None
    if "max" in options and limit is None:
        remark = Reason(ReasonCode.NO_GROWTH, {"limit": cut(plain(options["max"]), 30)})
    elif not reason or (colon and not rest.startswith(":")):
        remark = Reason(ReasonCode.NO_REASON)
    return Acceptance(
        name,
        location,
        reason,
        file=options.get("file"),
        workload=options.get("workload"),
        metric=options.get("metric"),
        limit=limit,
        state="refused" if remark else "open",
        remark=remark,
    )


def _location(text: str, *, colon: bool) -> tuple[str, str]:
    """Split a line into the accepted location, which may be quoted with backticks, and the remaining text."""
    if (quoted := QUOTED.match(text)) is not None:
        return _unpadded(quoted[2]), text[quoted.end() :]
    if not colon:
        name, _, rest = text.partition(" ")
        return name.removesuffix(":"), rest
    end = NAME_END.search(text)
    return (text, "") if end is None else (text[: end.start()].rstrip(), text[end.start() :])


def _unpadded(text: str) -> str:
    """Return inline code without the space that Markdown removes from each end."""
    padded = text.startswith(" ") and text.endswith(" ") and bool(text.strip())
    return text[1:-1] if padded else text


def _limit(text: str) -> float | None:
    if (percent := PERCENT.fullmatch(text)) is not None:
        limit = float(percent[1]) / 100
    elif (times := TIMES.fullmatch(text)) is not None:
        limit = float(times[1]) - 1
    else:
        return None
    return limit if 0 < limit <= LARGEST_LIMIT else None


def _refused(name: str, code: ReasonCode) -> Acceptance:
    return Acceptance(name, "", "", state="refused", remark=Reason(code))
