"""A stateful fake of GitHub over real HTTP, judged by GitHub's own description of its API."""

from fake_github.server import FakeGitHub, zip_of

__all__ = ["FakeGitHub", "zip_of"]
