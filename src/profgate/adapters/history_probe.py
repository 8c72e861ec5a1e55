"""``python -m profgate.adapters.history_probe FILE``: looks through a stranger's history, in a process of its own.

It imports little, since it is started for every file.
"""

import contextlib
import sys
from pathlib import Path

from profgate.adapters.history_file import connected, restrain, spoken_for
from profgate.errors import ProfgateError


def probe(path: str) -> str:
    """Reads the file from end to end; what is wrong with it, "" for nothing."""
    place = Path(path)
    try:
        with spoken_for(place), contextlib.closing(connected(place, "ro&immutable=1")) as connection:
            restrain(connection, place)
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                return f"is damaged ({str(found)[:200]}); remove it, and it is made anew"
    except ProfgateError as error:
        return error.what
    return ""


if __name__ == "__main__":
    wrong = probe(sys.argv[1])
    sys.stdout.write(wrong)
    raise SystemExit(bool(wrong))
