from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from fake_github import FakeGitHub
from profgate.action.github.sticky_comment import Texts, publish_comment

BOT = "github-actions[bot]"
TEXTS = Texts("<!-- profgate v1 key=default head=1 -->\nworse", "<!-- profgate v1 key=default -->\nback", worth=True)
NOT_WORTH = Texts(TEXTS.full, TEXTS.quiet, worth=False)


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub(in_process=True) as server:
        base = server.add_commit(branch="main")
        head = server.add_commit(parents=[base], branch="feature")
        server.add_pull(head, base)
        yield server


def publish(fake: FakeGitHub, texts: Texts = TEXTS, key: str = "default") -> str | None:
    head = fake.state.pulls[1].head_sha
    return publish_comment(fake.client(), 1, head, key, texts).skipped


def test_the_comment_is_written_once_and_edited_then(fake: FakeGitHub) -> None:
    assert publish(fake) is None
    assert publish(fake, Texts("<!-- profgate v1 key=default head=2 -->\nmore", "", worth=True)) is None
    assert fake.comment_bodies(1) == ["<!-- profgate v1 key=default head=2 -->\nmore"]


def test_no_comment_where_nothing_changed(fake: FakeGitHub) -> None:
    assert publish(fake, NOT_WORTH) == "nothing changed"
    assert fake.comment_bodies(1) == []


def test_pasted_marker_is_ignored(fake: FakeGitHub) -> None:
    fake.add_comment(1, TEXTS.full, author="mallory")
    publish(fake)
    assert fake.comment_bodies(1) == [TEXTS.full, TEXTS.full]
    assert [one.author for one in fake.state.comments.values()] == ["mallory", BOT]


def test_comments_of_other_keys_are_left_alone(fake: FakeGitHub) -> None:
    fake.add_comment(1, "<!-- profgate v1 key=default-2 -->\nother", author=BOT)
    fake.add_comment(1, "quoted: <!-- profgate v1 key=default -->", author=BOT)
    publish(fake)
    assert len(fake.comment_bodies(1)) == 3


def test_our_comment_is_found_on_a_later_page(fake: FakeGitHub) -> None:
    for number in range(120):
        fake.add_comment(1, f"talk {number}")
    fake.add_comment(1, "<!-- profgate v1 key=default -->\nold", author=BOT)
    publish(fake)
    assert [body for body in fake.comment_bodies(1) if body.startswith("<!--")] == [TEXTS.full]


def test_oldest_of_several_comments_remains(fake: FakeGitHub) -> None:
    first = fake.add_comment(1, "<!-- profgate v1 key=default -->\nold", author=BOT)
    fake.add_comment(1, "<!-- profgate v1 key=default -->\nolder run", author=BOT)
    publish(fake)
    assert [(one.id, one.body) for one in fake.state.comments.values()] == [(first, TEXTS.full)]


def test_result_of_an_older_head_is_not_written(fake: FakeGitHub) -> None:
    outcome = publish_comment(fake.client(), 1, "0" * 40, "default", TEXTS)
    assert outcome.skipped == "the pull request has newer commits"
    assert fake.comment_bodies(1) == []


def test_concurrent_runs_leave_one_comment(fake: FakeGitHub) -> None:
    """Both look and find nothing, then both write."""
    fake.let_meet("POST", "/issues/1/comments")
    head = fake.state.pulls[1].head_sha
    texts = [TEXTS, Texts("<!-- profgate v1 key=default head=2 -->\nmore", "", worth=True)]
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(publish_comment, fake.client(), 1, head, "default", text) for text in texts]
        for outcome in done:
            outcome.result(timeout=60)
    (body,) = fake.comment_bodies(1)
    assert body in {text.full for text in texts}
    assert fake.count("POST", "/issues/1/comments") == 2


def test_old_warning_is_replaced(fake: FakeGitHub) -> None:
    publish(fake)
    publish(fake, NOT_WORTH)
    assert fake.comment_bodies(1) == [TEXTS.quiet]
