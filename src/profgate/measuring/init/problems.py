"""The cause of a failed command: the line of its output that names it, and what may be missing."""

import re
import shlex
from collections.abc import Iterator
from pathlib import PurePosixPath

from profgate.errors import ProfgateError
from profgate.io.processes import output_of
from profgate.io.worktrees import quiet_git
from profgate.measuring.init.repository_files import Files
from profgate.measuring.init.workflow import Plan, one_line

ENDED = re.compile(r"^(?:E? *\w*(?:Error|Exception)\b.{0,80}: |panic: |--- FAIL: )", re.MULTILINE)
PROBLEMS = (  # lines that name a problem, the most specific first
    re.compile(r"^(?:/bin/)?sh: \d{1,4}: [\w.-]{1,80}: not found$", re.MULTILINE),
    ENDED,
    re.compile(r"^ {0,12}error: (?!subprocess-exited)", re.MULTILINE),  # what pip says about a subprocess is no cause
    re.compile(r"(?<![\w/.-])(?:error|fatal)(?![\w/.-])", re.IGNORECASE),
    re.compile(r"not found|does not|No such file|No rule|cannot", re.IGNORECASE),
)
ADVICE = (
    (re.compile(r"sh: \d{1,4}: (.{1,80}): not found"), "(install {} here, or add what installs it to --install)"),
    (
        re.compile(r"Cannot find \w{6,7} '([./].{1,300}?|.{1,300}?\.\w{1,9})'"),
        "(if a build writes {}, add the build to --install)",
    ),
    (re.compile(r"(?:No module named|Cannot find \w{6,7}) '(.{1,300}?)'"), "(add what installs {} to --install)"),
)


def problem_in(output: str) -> str:
    """Return the line of a program's output that names the problem, and advice about it."""
    plain_output = re.sub(r"\x1b\[[0-9;]{0,20}m", "", output)
    lines = [line for line in plain_output.split("\n") if not line.startswith("[ perf record:")]
    text = "\n".join(line for line in lines if not line.startswith("+ "))
    for pattern in PROBLEMS:
        if found := [*pattern.finditer(text)]:
            # an exception may have another one as its cause, which comes first; a compiler repeats that it failed
            start = text.rfind("\n", 0, found[-1 if pattern is ENDED else 0].start()) + 1
            shown = [line for line in text[start : start + 600].splitlines() if line.strip()]
            further = shown[1:2] if shown[0].rstrip().endswith(":") else []  # CMake explains an error in the next line
            advice = (form.format(name[1]) for known, form in ADVICE if (name := known.search(shown[0])))
            return one_line([shown[0], *further, next(advice, "")])
    return one_line([line for line in lines if line.strip()][-1:])


def needed(files: Files, plan: Plan, problem: str) -> Iterator[str]:
    """Return what may be missing: files that git does not track, and the workflow's version of the language."""
    words = set(re.findall(r"[\w-]{1,80}", f"{plan.command} {problem}"))
    others = quiet_git(files.top, "ls-files", "--others", "--exclude-standard").splitlines()
    added = [shlex.quote(path) for path in others if PurePosixPath(path).stem in words]
    if added:
        yield f"(a checkout contains only files that git tracks: git add {' '.join(added[:5])})"
    yield from other_version(plan)


def other_version(plan: Plan) -> Iterator[str]:
    """Return the difference if another version of the language runs here than in the workflow."""
    program = {"Node": "node", "Python": "python", "Go": "go", "Java": "java"}.get(plan.recipe.language, "")
    stated = re.match(r"\d[\d.]{0,10}", next(iter(plan.pattern.options.values()), ""))
    try:
        output = output_of([program, "version" if program == "go" else "--version"], ".", {}, 30.0) if stated else ""
    except ProfgateError:
        return
    here = re.search(r"\d{1,4}(?:\.\d{1,4}){1,3}", output)
    if stated and here and not f"{here[0]}.".startswith(f"{stated[0].rstrip('.')}."):
        yield f"({program} {here[0]} runs here, and the workflow uses {stated[0].rstrip('.')})"
