"""Options that several commands use, and parameter types."""

import math
import re
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, get_args

import click

from profgate.errors import ProfgateError, did_you_mean
from profgate.io.files import check_links
from profgate.model.policy import FailOn, Policy
from profgate.model.record import replace

if TYPE_CHECKING:
    from profgate.model.claim import Claim

FOLDER = ".profgate"

Function = Callable[..., Any]
Decorator = Callable[[Function], Function]


class Measuring(click.Command):
    """A command that runs a program. Its parameter ``program`` contains all arguments after ``--``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments before ``--``."""
        end = args.index("--") if "--" in args else len(args)
        program = tuple(args[end + 1 :])
        rest = super().parse_args(ctx, args[:end])
        ctx.params["program"] = program
        return rest

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the parts of the usage line."""
        return [*super().collect_usage_pieces(ctx), "-- COMMAND ..."]


def command(*examples: str, of: Callable[..., Any] = click.command, **settings: Any) -> Callable[[Function], Any]:  # noqa: ANN401 - passed on
    """Return a decorator that turns a function into a command whose help ends with the examples."""
    lines = "".join(f"\n  {example}" for example in examples)
    return of(epilog=f"\b\nExamples:{lines}", **settings)  # type: ignore[no-any-return]


def bundled(name: str, make: Callable[..., Any], *parameters: Decorator) -> Decorator:
    """Return a decorator that adds parameters and passes ``make(**values)`` to the command as ``name``."""
    names = signature(make).parameters

    def decorate(function: Function) -> Function:
        @wraps(function)
        def called(**options: Any) -> Any:  # noqa: ANN401 - these are the options of a command
            given = {known: options.pop(known) for known in names if known in options}
            return function(**options, **{name: make(**given)})

        decorated: Function = called
        for parameter in reversed(parameters):  # of several decorators, the last one is applied first
            decorated = parameter(decorated)
        return decorated

    return decorate


class Place(click.Path):
    """A path that the shell completes. ``what`` describes the path in the error message for an empty value."""

    def __init__(self, what: str, *, folder: bool = False) -> None:
        super().__init__(file_okay=not folder)
        self._what = what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401 - as in click
        """Return the path unchanged. A repository may have put links in the place of a default folder."""
        if not value.strip():
            self.fail(f"is empty; name {self._what}", param, ctx)
        if param is not None and value == param.default != ".":
            check_links(value)
        return str(value)


class Choice(click.Choice):  # type: ignore[type-arg] # not generic before click 8.4
    """One of several names. The error message for another name suggests the most similar one."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ANN401 - any type
        """Return the error message."""
        del ctx
        return f"{value!r} is unknown; {did_you_mean(str(value), self.choices)}"


class Number(click.ParamType):  # type: ignore[type-arg] # not generic before click 8.4
    """A number between two inclusive bounds. The number is an integer if the lower bound is an integer."""

    name = "number"

    def __init__(self, least: float, most: float) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 - any type
        """Convert the value to a number. Infinity and NaN are rejected."""
        try:
            number = type(self._least)(value)
        except ValueError:
            number = math.nan
        if not self._least <= number <= self._most:
            kind = "whole number" if isinstance(self._least, int) else "number"
            self.fail(f"{value!r} is not a {kind} from {self._least:,} to {self._most:,}", param, ctx)
        return number


class Duration(click.ParamType):  # type: ignore[type-arg] # not generic before click 8.4
    """A positive time such as ``90s``, ``10m`` or ``1h``, converted to seconds."""

    name = "time"
    units: ClassVar = {"s": 1.0, "m": 60.0, "h": 3600.0}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401 - any type
        """Convert the text to seconds."""
        if isinstance(value, float):
            return value
        found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,3})?)([smh])", str(value))
        if found is None or not float(found[1]):
            self.fail(f"{value!r} is not a time; write a number and its unit, such as 90s, 10m or 1h", param, ctx)
        return float(found[1]) * self.units[found[2]]


FILE = Place("a file")
DIRECTORY = Place("a folder, such as profgate-report", folder=True)
PROFILES = Place("a profile or a folder of profiles")
COUNT = Number(1, 1_000_000)
DURATION = Duration()
SECONDS = Number(0.001, 10_000_000.0)

metric_option = click.option("--metric", metavar="NAME", help="Metric to use if the profile has several.")
workload_option = click.option("--workload", metavar="NAME", help="Workload to use if a folder contains several.")
strategies_option = click.option(
    "--strategy", "strategies", multiple=True, metavar="NAME", help="Use only this strategy (repeatable)."
)
history_option = click.option(
    "--history",
    type=DIRECTORY,
    metavar="DIR",
    default=FOLDER,
    help="Folder of the history.",
)
CONFIG = click.option(
    "--config", type=FILE, metavar="FILE", help="Configuration file, in the format of .github/profgate.yml."
)
FAIL_ON = click.option(
    "--fail-on", type=Choice(get_args(FailOn)), help="Lowest severity that fails the gate (default: as configured)."
)


executor_option = click.option(
    "--executor",
    metavar="NAME",
    help="Where the work is done: processes[:N] or dask://HOST:PORT (default: on the processors of this machine).",
)


def _claims(claim: tuple[str, ...], attempt: int) -> "tuple[Claim, ...]":
    """Return the claims. Raises ProfgateError for a malformed one."""
    from profgate.model.claim import claim_of  # imported here because commands that draw do not need it

    claims = tuple(map(claim_of, claim))
    if malformed := next((text for text, read in zip(claim, claims, strict=True) if not read.location), None):
        raise ProfgateError("--claim", f"{malformed[:80]!r} is no claim; write NAME -10%, such as 'parse -10%'")
    return tuple(replace(one, attempt=attempt) for one in claims)


claim_options = bundled(
    "claims",
    _claims,
    click.option(
        "--claim",
        multiple=True,
        metavar="'NAME -10%'",
        help="Prove that a function, or total, became so much faster (repeatable). Unless proven, the gate fails.",
    ),
    click.option(
        "--attempt", type=COUNT, default=1, metavar="N", help="Number of this attempt to prove the claims (default: 1)."
    ),
)


def last_option(default: int, which: str = "") -> Decorator:
    """Return the option that limits the number of commits to read."""
    what = f"{which}Read only the N newest measured commits."
    return click.option("--last", type=COUNT, default=default, metavar="N", help=what)


def format_option(*formats: str) -> Decorator:
    """Return the option for the output format. The first format is the default."""
    return click.option("--format", "output", type=Choice(formats), default=formats[0], help="Output format.")


def verbose_option(what: str = "Also show unchanged rows.") -> Decorator:
    """Return the option for more detailed output."""
    return click.option("-v", "--verbose", is_flag=True, help=what)


def output_option(content: str, default: str | None = None) -> Decorator:
    """Return the option for the output folder."""
    return click.option(
        "-o",
        "--output-dir",
        type=DIRECTORY,
        default=default,
        metavar="DIR",
        help=f"Folder for {content}.",
    )


def _policy(config: str | None, fail_on: FailOn | None = None) -> Policy:
    from profgate.loading import load_policy  # imported here because the import is slow and the help does not need it

    return load_policy(config, fail_on)


config_option = bundled("policy", _policy, CONFIG)
policy_options = bundled("policy", _policy, CONFIG, FAIL_ON)


def width(default: int = 100) -> int:
    """Return the width of the terminal in columns."""
    import shutil  # imports modules for archives

    return shutil.get_terminal_size((default, 24)).columns
