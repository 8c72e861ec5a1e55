"""Make the pictures of README and docs. Run it with the e2e environment after `./run demo`.

The evolution picture needs a track in `build/track`; docs/how-to/tracking.md has the command (examples/track/bench.py).
"""

import shutil
import sys
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
DEMO, IMAGES = ROOT / "build" / "demo", ROOT / "docs" / "images"
STYLE = """
body { font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; color: #1f2328;
  max-width: 860px; margin: 24px auto; padding: 20px 24px; border: 1px solid #d0d7de; border-radius: 6px }
h3 { margin: 0 0 12px; font-size: 17px } a { color: #0969da; text-decoration: none }
table { border-collapse: collapse; margin: 12px 0; display: block; overflow-x: auto }
td, th { border: 1px solid #d0d7de; padding: 5px 11px } tr:nth-child(2n) { background: #f6f8fa }
code { background: #eff1f3; border-radius: 5px; padding: 2px 5px; font: 12px ui-monospace, monospace }
sub { color: #59636e; font-size: 11px }
"""


def comment_page() -> str:
    """The comment as HTML in a style similar to GitHub's."""
    text = (DEMO / "comment.md").read_text(encoding="utf-8")
    body = cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE)
    return f"<!doctype html><meta charset=utf-8><style>{STYLE}</style>{body}"


def take(page: Page, name: str) -> None:
    """Save one picture to the images folder."""
    page.wait_for_timeout(500)
    page.screenshot(path=IMAGES / f"{name}.png")
    sys.stdout.write(f"{name}.png\n")


def main() -> None:
    """Both pictures at the size at which they stand in the README."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or not DEMO.is_dir():
        sys.exit("needs chromium, and the files of ./run demo")
    graph = next(DEMO.glob("pyspy.*.html"))  # the workload with stacks
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        page = browser.new_context(viewport={"width": 960, "height": 620}, offline=True).new_page()
        page.set_content(comment_page())
        take(page, "comment")
        page = browser.new_context(viewport={"width": 1180, "height": 760}, offline=True).new_page()
        page.goto(graph.as_uri())
        take(page, "page")
        evolution = ROOT / "build" / "track" / "evolution.html"
        if evolution.is_file():
            page = browser.new_context(viewport={"width": 1180, "height": 690}, offline=True).new_page()
            page.goto(evolution.as_uri())
            take(page, "evolution")
        browser.close()


if __name__ == "__main__":
    main()
