"""``python -m profgate.adapters.history_probe FILE``: looks through a stranger's history, in a process of its own."""

import sys

from profgate.adapters.foreign_history import probe

if __name__ == "__main__":
    wrong = probe(sys.argv[1])
    sys.stdout.write(wrong)
    raise SystemExit(bool(wrong))
