"""Compare two sets of profiles from Python: print what changed, and draw it.

Run it from a checkout, with paths of your own or without arguments for the example profiles:

    python examples/python_api.py baseline/ target/ -o comparison
"""

import argparse
from pathlib import Path

from profgate.api import Finding, Report, compare, flamegraph, read

PROFILES = Path(__file__).parent / "shop" / "profiles"


def main() -> None:
    """Compare the sides that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("baseline", nargs="?", default=str(PROFILES / "baseline"), help="profiles before the change")
    parser.add_argument("target", nargs="?", default=str(PROFILES / "target"), help="profiles after the change")
    parser.add_argument("-o", "--output", default="comparison", type=Path, help="folder for the pictures")
    arguments = parser.parse_args()

    for side in (arguments.baseline, arguments.target):
        profiles = read(side)
        functions = {name for profile in profiles for name in profile.frames.names}
        print(f"{side}: {len(profiles)} profiles, {len(functions)} functions")

    report = compare(arguments.baseline, arguments.target)
    print(f"verdict: {report.verdict}\n")
    print_table(report)

    arguments.output.mkdir(parents=True, exist_ok=True)
    page = arguments.output / "flamegraph.html"
    page.write_text(flamegraph(report), encoding="utf-8")
    print(f"\nflame graph: {page}")
    draw_bars(report, arguments.output / "changes.png")


def changes_in(report: Report) -> list[Finding]:
    """The changes that a reader should know, the largest first."""
    changes = [finding for finding in report.findings if finding.colour != "neutral" and finding.relative is not None]
    return sorted(changes, key=lambda finding: -abs(finding.relative or 0))


def print_table(report: Report) -> None:
    """Print the changes."""
    for finding in changes_in(report):
        print(f"{finding.colour:<8} {finding.relative:>+7.0%}  {finding.workload} {finding.metric}: {finding.function}")


def draw_bars(report: Report, picture: Path) -> None:
    """Draw the relative changes as bars, if matplotlib is installed."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        print("install matplotlib to draw the changes as bars")
        return
    changes = changes_in(report)
    figure, axes = plt.subplots(layout="constrained")
    axes.barh(
        [f"{finding.function} ({finding.workload})" for finding in changes],
        [100 * (finding.relative or 0) for finding in changes],
        color=[finding.colour for finding in changes],
    )
    axes.set_xlabel("change in %")
    figure.savefig(picture)
    print(f"bars: {picture}")


if __name__ == "__main__":
    main()
