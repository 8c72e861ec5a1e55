"""What reports say of acceptances: how to accept what fails, and what became of what somebody accepted."""

from collections import Counter
from collections.abc import Sequence

from profgate.model.acceptance import Acceptance, State, command_for
from profgate.model.report import Report
from profgate.model.visible_text import name_text, plain
from profgate.report.markdown_text import code_span, link, sentence
from profgate.report.rows import Row

SHOWN = 20
REFUSED = 5  # that are shown: strangers can write as many as they like
ANSWERS = "<!-- profgate answers -->"
LONGEST_COMMENT = 65_000  # characters; GitHub refuses more than 65,536
COMMANDS = 3  # red functions for which the command is written out
LONGEST_COMMAND = 300
WORDS: dict[State, str] = {
    "open": "not judged",
    "applies": "accepted",
    "exceeded": "no longer covered, accepted",
    "unused": "not needed:",
    "refused": "refused:",
}


def ways_out(rows: Sequence[Row]) -> tuple[str, ...]:
    """The comments that would accept what fails, each as inline code; empty where nothing that can be accepted does."""
    red = [row.finding.location for row in rows if row.finding.colour == "red" and not row.total]
    places = {(one.name, one.file) for one in red}
    times = Counter(name for name, _ in places)
    commands = dict.fromkeys(command_for(one.name, one.file if times[one.name] > 1 else None) for one in red)
    shown = [code_span(f"{command}REASON", LONGEST_COMMAND) for command in commands]
    return (*shown[:COMMANDS], *([f"and {len(shown) - COMMANDS} more"] if len(shown) > COMMANDS else []))


def markdown_acceptances(report: Report) -> list[str]:
    """A line for each acceptance, at most 20; first those that bear on the verdict, last the newest refused ones."""
    count = [one for one in report.acceptances if one.state != "refused"][:SHOWN]
    refused = [one for one in report.acceptances if one.state == "refused"][-REFUSED:]
    shown = [*count, *refused][:SHOWN]
    more = len(report.acceptances) - len(shown)
    return [*map(_markdown, shown), *([f"and {more} more in the report"] if more else [])]


def with_answers(body: str, refused: Sequence[Acceptance]) -> str:
    """Our comment with the newest commands that are refused and that it does not tell of yet; the next run tells all.

    The text that is there stays as it is, but for earlier answers.
    """
    told = body.partition(f"\n{ANSWERS}\n")[0].rstrip()
    new = [one for one in refused if not one.link or one.link not in told]
    for count in range(min(REFUSED, len(new)), 0, -1):
        lines = "".join(f"- {_markdown(one)}\n" for one in new[-count:])
        text = f"{told}\n\n{ANSWERS}\n**Not accepted:**\n\n{lines}"
        if len(text) <= LONGEST_COMMENT:
            return text
    return f"{told}\n"


def _markdown(one: Acceptance) -> str:
    what = code_span(one.location) if one.location else "a command"
    by = f" by {code_span(one.by, 60)}" if one.by else ""
    reason = f" ({sentence(one.reason)})" if one.reason else ""
    where = f" · {link('where', one.link)}" if one.link else ""
    return f"{what}: {WORDS[one.state]}{by if one.state == 'applies' else ''} {sentence(one.told)}{reason}{where}"


def plain_acceptances(report: Report) -> list[str]:
    """The same for a terminal."""
    return [
        f"{name_text(one.location) if one.location else 'a command'} by {name_text(one.by or 'unknown', 60)}: "
        f"{WORDS[one.state]} {plain(one.told)}" + (f" ({plain(one.reason)})" if one.reason else "")
        for one in report.acceptances
    ]
