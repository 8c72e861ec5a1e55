import pytest

from profgate.model.claim import BUDGET, MOST_CLAIMS, claim_of, claims_in, level_of


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("parse -10%", ("parse", -0.1, None)),
        ("parse \N{MINUS SIGN}2.5%", ("parse", -0.025, None)),
        ("requests +10%", ("requests", 0.1, None)),
        ("`ns::parse(int, char)` -10% file=src/parse.cpp", ("ns::parse(int, char)", -0.1, "src/parse.cpp")),
        ("operator new(unsigned long) -10%", ("operator new(unsigned long)", -0.1, None)),
        ("`` a`b `` -10%", ("a`b", -0.1, None)),
        ("total -3%", ("total", -0.03, None)),
    ],
)
def test_claim_has_a_name_and_a_change(text: str, claim: tuple[str, float, str | None]) -> None:
    assert claim_of(text).key == claim
    assert [each.key for each in claims_in(f"Faster.\r\n\r\nprofgate: claim {text}\r\nprofgate: claim {text}")] == [
        claim
    ]


@pytest.mark.parametrize(
    "text", ["", "parse", "-10%", "parse 10%", "parse -0%", "parse -100%", "parse -1e9%", "`a`b -5%"]
)
def test_malformed_claim_is_refused(text: str) -> None:
    (claim,) = claims_in(f"profgate: claim {text}")
    assert (claim.location, claim.state) == ("", "not proven")
    assert claim.remark is not None
    assert claim.remark.parameters["case"] == "form"


@pytest.mark.parametrize(
    "description",
    [
        "> profgate: claim parse -10%",
        "    profgate: claim parse -10%",
        "`profgate: claim parse -10%`",
        "Write profgate: claim parse -10%",
        "profgate: claims parse -10%",
        "a" * 70_000 + "\nprofgate: claim parse -10%",
    ],
)
def test_quoted_text_claims_nothing(description: str) -> None:
    assert claims_in(description) == ()


@pytest.mark.parametrize("above", ["", "```x``` is faster", "`<!--`", "<div>\n~~~\n</div>\n", "```\n<!--\n```", "<!--"])
def test_no_text_above_a_claim_hides_it(above: str) -> None:
    """GitHub shows most of these claims, and a claim that is shown must be checked."""
    assert [claim.location for claim in claims_in(f"{above}\nprofgate: claim parse -10%\n-->")] == ["parse"]


def test_too_many_claims_are_refused_together() -> None:
    lines = [f"profgate: claim f{number} -10%" for number in range(MOST_CLAIMS + 1)]
    assert len(claims_in("\n".join(lines[1:]))) == MOST_CLAIMS
    (refused,) = claims_in("\n".join(lines))
    assert refused.location == ""


def test_levels_of_all_attempts_stay_within_the_budget() -> None:
    assert sum(level_of(attempt, 1) for attempt in range(1, 100_000)) == pytest.approx(BUDGET, rel=1e-4)
    assert level_of(1, 1) == pytest.approx(0.0061, rel=0.01)
    assert 3 * level_of(2, 3) == pytest.approx(level_of(2, 1))
