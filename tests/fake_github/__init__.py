"""A stateful fake of GitHub over real HTTP, judged by GitHub's own description of its API."""

from fake_github.server import FakeGitHub, zip_of
from fake_github.state import CUT, HANG

__all__ = ["CUT", "HANG", "FakeGitHub", "zip_of"]
