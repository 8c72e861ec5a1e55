"""Make the pages of two library upgrades for the first page of the documentation: pages.py FOLDER.

`./run docs` calls it. README.md of this folder describes the recordings.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
UPGRADES = {
    "immer": ("immer-9.0.21", "immer-10.0.0"),
    "go-runewidth": ("go-runewidth-0.0.9", "go-runewidth-0.0.13"),
}


def main(folder: Path) -> None:
    """Write a page for each upgrade to the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, sides in UPGRADES.items():
        with tempfile.TemporaryDirectory() as output:
            command = [sys.executable, "-m", "profgate", "compare", *sides, "--interleaved", "--output-dir", output]
            done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
            pages = [page for page in Path(output).glob("*.html") if page.name != "index.html"]
            if done.returncode != 1 or len(pages) != 1:
                sys.exit(f"pages.py: {name}: expected one page and exit code 1, not {done.returncode}\n{done.stderr}")
            shutil.copyfile(pages[0], folder / f"{name}.html")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
