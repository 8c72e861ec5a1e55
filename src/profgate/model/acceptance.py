"""Parse the commands by which maintainers accept a regression, at the beginning of a pull request comment.

    /profgate accept parse_headers max=+40%: the new format needs it
    /profgate accept `ns::parse(int)` max=+40% file=src/parse.cpp: the new format needs it
    /profgate accept bench/parse: the old format is gone

With ``max=``, the command accepts that a function becomes worse by at most this growth. Without ``max=``, it accepts
that a workload is no longer measured or does other work. A command must be at the very beginning of the comment, so
that quoted text, hidden text and code are never treated as commands.
"""

import math
import re
from typing import Literal

from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import Record
from profgate.model.visible_text import cut, name_text, plain

AcceptanceState = Literal["open", "applies", "unused", "exceeded", "refused"]

MOST_COMMANDS = 20  # maximum number of commands in one comment
LONGEST_LINE = 4_000
LONGEST_REASON = 300
COMMAND = re.compile(r"/profgate(?=\s|$)\s*(.*)")
QUOTED = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
OPTION = re.compile(r"\s*\b(max|file)=(?:(`+)(?!`)(.+?)(?<!`)\2(?!`)|([^\s:`]+))")
NAME_END = re.compile(r"(?<!\s)\s++(?=(?:max|file)=)|:(?=\s|$)")
PERCENT = re.compile(r"\+?([0-9]{1,15}(?:\.[0-9]{1,3})?)%")
PLAIN_NAME = re.compile(r"(?!.*::?(?:\s|$))[^\s`]+")


class Acceptance(Record):
    """A request to accept a function that became worse, or a workload that is gone or did other work.

    ``limit`` is the largest accepted growth of a function as a fraction (0.3 = +30 %), or None if ``location`` is a
    workload. ``file`` distinguishes functions of the same name. ``remark`` explains ``state``.
    """

    id: str
    location: str
    reason: str
    by: str = ""
    link: str = ""
    file: str | None = None
    limit: float | None = None
    state: AcceptanceState = "open"
    remark: Reason | None = None


def in_comment(body: str, number: int) -> tuple[Acceptance, ...]:
    """Return the commands at the beginning of the comment whose id is ``number``, and ignore any text that follows."""
    found: list[Acceptance] = []
    for line in body.replace("\r\n", "\n").split("\n"):
        if not line.strip() and not found:
            continue
        command = COMMAND.fullmatch(line[:LONGEST_LINE].rstrip())
        if command is None or len(found) == MOST_COMMANDS:
            break
        found.append(_request(f"{number}.{len(found)}", command[1]))
    return tuple(found)


def command_for(location: str, growth: float, file: str | None = None) -> str:
    """Return a command that accepts 1.25 times a growth, but gives no reason. An ambiguous name needs ``file``."""
    place = f" file={_quoted(file)}" if file else ""
    # limit of the command that a comment shows, as a multiple of the growth
    return f"/profgate accept {_quoted(name_text(location))} max=+{math.ceil(100 * 1.25 * growth)}%{place}: "


def workload_command(workload: str) -> str:
    """Return a command that accepts that a workload is gone or did other work, but gives no reason."""
    return f"/profgate accept {_quoted(name_text(workload))}: "


def _quoted(text: str) -> str:
    if PLAIN_NAME.fullmatch(text):
        return text
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _request(name: str, text: str) -> Acceptance:
    verb, _, rest = text.partition(" ")
    location, rest = split_name(rest.strip())
    options: dict[str, str] = {}
    while (option := OPTION.match(rest)) is not None:
        options.setdefault(option[1], _unpadded(option[3]) if option[3] else option[4])
        rest = rest[option.end() :]
    colon, reason = rest.lstrip()[:1], cut(plain(rest.lstrip()[1:]), LONGEST_REASON)
    percent = PERCENT.fullmatch(options.get("max", ""))
    limit = float(percent[1]) / 100 if percent else None
    valid = verb == "accept" and bool(location and reason) and colon == ":"
    if not valid or ("max" in options and not limit):
        return Acceptance(name, "", "", state="refused", remark=Reason(ReasonCode.ACCEPTANCE, {"case": "command_form"}))
    return Acceptance(name, location, reason, file=options.get("file"), limit=limit)


def split_name(text: str) -> tuple[str, str]:
    """Split a line into the name of a location, which may be quoted with backticks, and the remaining text."""
    if (quoted := QUOTED.match(text)) is not None:
        return _unpadded(quoted[2]), text[quoted.end() :]
    end = NAME_END.search(text)
    return (text, "") if end is None else (text[: end.start()].rstrip(), text[end.start() :])


def _unpadded(text: str) -> str:
    """Return inline code without the space that Markdown removes from each end."""
    padded = text.startswith(" ") and text.endswith(" ") and bool(text.strip())
    return text[1:-1] if padded else text
