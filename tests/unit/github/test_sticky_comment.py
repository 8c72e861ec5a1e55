from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from fake_github import FakeGitHub
from profgate.github.sticky_comment import Texts, owned, publish_anew, publish_comment

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


def test_unchanged_comment_is_not_written_again(fake: FakeGitHub) -> None:
    publish(fake)
    assert publish(fake) == "the comment is up to date"
    assert fake.count("PATCH") == 0


def test_no_comment_where_nothing_changed(fake: FakeGitHub) -> None:
    assert publish(fake, NOT_WORTH) == "nothing changed"
    assert fake.comment_bodies(1) == []


def test_old_warning_is_replaced(fake: FakeGitHub) -> None:
    publish(fake)
    publish(fake, NOT_WORTH)
    assert fake.comment_bodies(1) == [TEXTS.quiet]


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


@pytest.mark.parametrize("stored", [True, False])
def test_a_server_error_makes_no_second_comment(fake: FakeGitHub, *, stored: bool) -> None:
    fake.fail("POST", "/comments", stored=stored)
    assert publish(fake) is None
    assert fake.comment_bodies(1) == [TEXTS.full]


def test_token_of_another_login_leaves_one_comment(fake: FakeGitHub) -> None:
    fake.state.token_login = "our-app[bot]"
    publish(fake)
    publish(fake, Texts("<!-- profgate v1 key=default head=2 -->\nmore", "", worth=True))
    assert fake.comment_bodies(1) == ["<!-- profgate v1 key=default head=2 -->\nmore"]


def test_a_key_is_no_pattern() -> None:
    assert owned([], "a.*", BOT) == []


def anew(fake: FakeGitHub, texts: Texts = TEXTS) -> str | None:
    head = fake.state.pulls[1].head_sha
    return publish_anew(fake.client(), 1, head, "default", texts).skipped


def shown(fake: FakeGitHub) -> list[str]:
    return [one.body for one in fake.state.comments.values() if not one.minimized]


def other(text: str) -> Texts:
    return Texts(f"<!-- profgate v1 key=default head=2 -->\n{text}", TEXTS.quiet, worth=True)


def test_a_new_comment_folds_the_older_ones_away(fake: FakeGitHub) -> None:
    fake.add_comment(1, TEXTS.full)  # somebody pasted the marker
    fake.add_comment(1, "<!-- profgate v1 key=cli -->\nof another key", author=BOT)
    anew(fake)
    anew(fake, other("more"))
    anew(fake, other("most"))
    assert shown(fake) == [TEXTS.full, "<!-- profgate v1 key=cli -->\nof another key", other("most").full]
    assert len(fake.state.comments) == 5
    assert fake.count("PATCH") == 0


def test_where_nothing_changed_any_more_nothing_false_stays(fake: FakeGitHub) -> None:
    assert anew(fake, NOT_WORTH) == "nothing changed"
    anew(fake)
    assert anew(fake, NOT_WORTH) == "nothing changed; the earlier comment is minimised"
    assert shown(fake) == []
    assert anew(fake, NOT_WORTH) == "nothing changed"


def test_what_was_folded_away_can_become_true_again(fake: FakeGitHub) -> None:
    anew(fake)
    anew(fake, NOT_WORTH)
    assert anew(fake) is None
    assert shown(fake) == [TEXTS.full]
    assert anew(fake) == "the comment is up to date"


def test_new_comment_needs_the_same_head(fake: FakeGitHub) -> None:
    fake.state.pulls[1].head_sha = fake.add_commit()
    head = next(iter(fake.state.commits))
    assert publish_anew(fake.client(), 1, head, "default", other("late")).skipped == (
        "the pull request has newer commits"
    )


def test_only_own_comments_of_the_key_are_minimised(fake: FakeGitHub) -> None:
    elsewhere = TEXTS.full.replace("key=default", "key=api")
    fake.add_comment(1, elsewhere, author=BOT)
    fake.add_comment(1, TEXTS.full, author="mallory")
    anew(fake)
    anew(fake, other("more"))
    fake.add_comment(1, "Please look at this.", author="reviewer")
    assert anew(fake, other("more")) == "the comment is up to date"
    assert anew(fake, NOT_WORTH) == "nothing changed; the earlier comment is minimised"
    assert shown(fake) == [elsewhere, TEXTS.full, "Please look at this."]


@pytest.mark.parametrize("publishing", [publish_comment, publish_anew])
def test_concurrent_runs_leave_one_comment(fake: FakeGitHub, publishing: Callable[..., object]) -> None:
    """Both look and find nothing, then both write."""
    fake.let_meet("POST", "/issues/1/comments")
    head = fake.state.pulls[1].head_sha
    texts = [TEXTS, other("more")]
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(publishing, fake.client(), 1, head, "default", one) for one in texts]
        for one in done:
            one.result(timeout=60)
    assert len(shown(fake)) == 1
    assert shown(fake)[0] in {one.full for one in texts}
    assert fake.count("POST", "/issues/1/comments") == 2
