"""Make the pictures of README and docs. Run it with the e2e environment after `./run demo`.

It also needs npm and Chromium.

`pictures.py comments` makes only the pictures of the comments in tests/golden/comment/situations, which the action has
written. Their style is GitHub's (github-markdown-css, MIT licence, downloaded from npm). The pictures of all widths and
themes are in `build/comments`; docs/images/comments holds the light ones, and the narrow one of a red comment.
The evolution picture needs a track in `build/track`; docs/how-to/tracking.md has the command (examples/track/bench.py).
"""

import io
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import cmarkgfm
import nh3
from cmarkgfm.cmark import Options
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
BUILD, DEMO, IMAGES = ROOT / "build" / "comments", ROOT / "build" / "demo", ROOT / "docs" / "images"
SITUATIONS = ROOT / "tests" / "golden" / "comment" / "situations"
STYLES = "github-markdown-css@5.9.0"
WIDE, NARROW = 800, 390
COLOURS = 256
TOUR_COLOURS = 96
TOUR_TIMES = [3000, 1000, 3000, 3000]  # milliseconds
# symbols that have a plain form in other fonts, but are coloured on GitHub
EMOJI = """
@font-face { font-family: symbols; src: local("Noto Color Emoji"); unicode-range: U+26A1, U+26AA, U+2705, U+274C }
body .markdown-body { font-family: symbols, "Noto Sans", "DejaVu Sans", sans-serif }
"""
BOX = "margin: 0; padding: 16px; border: 1px solid #8886; border-radius: 6px; min-height: 0"


def github_style() -> str:
    """Return the style sheet, which is downloaded once."""
    sheet = BUILD / "package" / "github-markdown.css"
    if not sheet.is_file():
        packed = subprocess.run(
            ["npm", "pack", "--silent", STYLES], cwd=BUILD, check=True, capture_output=True, text=True
        )
        with tarfile.open(BUILD / packed.stdout.split()[-1]) as archive:
            archive.extractall(BUILD, filter="data")
    return sheet.read_text(encoding="utf-8")


def comment_page(text: str, style: str) -> str:
    """The comment as HTML, converted and cleaned as GitHub does."""
    body = nh3.clean(cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE))
    head = f"<!doctype html><meta charset=utf-8><style>{style} {EMOJI} body {{ margin: 8px }}</style>"
    return f"{head}<article class=markdown-body style='{BOX}'>{body}</article>"


def take_comments(browser: Browser) -> None:
    """Save the pictures of all situations."""
    BUILD.mkdir(parents=True, exist_ok=True)
    (IMAGES / "comments").mkdir(exist_ok=True)
    style = github_style()
    for file in sorted(SITUATIONS.glob("*.md")):
        content = comment_page(file.read_text(encoding="utf-8"), style)
        for width in (WIDE, NARROW):
            for theme in ("light", "dark"):
                size = {"width": width, "height": 100}
                page = browser.new_context(viewport=size, color_scheme=theme, offline=True).new_page()
                page.set_content(content)
                name = f"{file.stem}-{width}-{theme}.png"
                page.screenshot(path=BUILD / name, full_page=True)
        store(f"{file.stem}-{WIDE}-light", f"comments/{file.stem}")
    store(f"red-{NARROW}-light", "comments/red-narrow")
    store(f"red-{WIDE}-light", "comment")


def store(picture: str, name: str) -> None:
    """Save a picture to the images folder, with fewer colours so that the file is small."""
    with Image.open(BUILD / f"{picture}.png") as image:
        image.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(IMAGES / f"{name}.png", optimize=True)


def take(page: Page, name: str) -> None:
    """Save one picture to the images folder."""
    page.wait_for_timeout(500)
    page.screenshot(path=IMAGES / f"{name}.png")
    sys.stdout.write(f"{name}.png\n")


def take_pages(browser: Browser) -> None:
    """Save the pictures of a flame graph page and of the evolution, at the size at which the docs show them."""
    page = browser.new_context(viewport={"width": 1180, "height": 760}, offline=True).new_page()
    page.goto(next(DEMO.glob("pyspy.*.html")).as_uri())  # the workload with stacks
    take(page, "page")
    evolution = ROOT / "build" / "track" / "evolution.html"
    if evolution.is_file():
        page = browser.new_context(viewport={"width": 1180, "height": 690}, offline=True).new_page()
        page.goto(evolution.as_uri())
        take(page, "evolution")


def take_tour(browser: Browser) -> None:
    """Save the animation of README: the comment, its link, the page that it opens, and the runs of the function."""
    size = {"width": 1000, "height": 740}
    shots = []
    page = browser.new_context(viewport=size, offline=True).new_page()

    def shoot(outlined: str = "") -> None:
        page.wait_for_timeout(500)
        if outlined:
            page.locator(outlined).first.evaluate("e => e.style.outline = '3px solid #7a3ff2'")
        shots.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(TOUR_COLOURS))

    page.set_content(comment_page((SITUATIONS / "red.md").read_text(encoding="utf-8"), github_style()))
    shoot()
    shoot('a:has-text("flame graph")')
    page.goto(next(DEMO.glob("pyspy.*.html")).as_uri())
    shoot()
    shoot(".runs")
    shots[0].save(IMAGES / "tour.gif", save_all=True, append_images=shots[1:], duration=TOUR_TIMES, loop=0)


def main() -> None:
    """Take the pictures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    only_comments = sys.argv[1:] == ["comments"]
    if chromium is None or not (only_comments or DEMO.is_dir()):
        sys.exit("needs chromium, and the files of ./run demo")
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        take_comments(browser)
        if not only_comments:
            take_pages(browser)
            take_tour(browser)
        browser.close()


if __name__ == "__main__":
    main()
