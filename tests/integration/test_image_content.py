"""The image lacks some parts of its packages. profgate works without these parts."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHOP = ROOT / "examples" / "shop" / "profiles"
PROGRAM = """
import sys

for name in sys.argv.pop(1).split():
    sys.modules[f"scipy.{name}"] = None  # an import of this module fails
from profgate.__main__ import main

sys.exit(main())
"""


def removed() -> list[str]:
    (names,) = re.findall(r"for part in ([a-z ]+);", (ROOT / "Dockerfile").read_text())
    return str(names).split()


def test_code_imports_no_part_that_the_image_lacks() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    used = {name for text in texts for name in re.findall(r"\b(?:from|import) scipy\.(\w+)", text)}
    assert {"sparse", "special"} <= used
    assert "stats" in removed()
    assert not used & set(removed())


def test_all_strategies_run_without_the_removed_parts(tmp_path: Path) -> None:
    compare = ["compare", str(SHOP / "baseline"), str(SHOP / "target"), "-v", "--output-dir", str(tmp_path)]
    command = [sys.executable, "-I", "-c", PROGRAM, " ".join(removed()), *compare]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (1, "")
