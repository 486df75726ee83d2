"""Who leads, in words, and who stands apart."""

from __future__ import annotations

from webapp.bots.models import Bot, Version
from webapp.ratings.lead import apart, lead
from webapp.ratings.selectors import Row


def row(name: str, elo: float, half_width: float) -> Row:
    return Row(
        bot=Bot(name=name),
        version=Version(),
        owner="",
        elo=elo,
        half_width=half_width,
        rank_low=1,
        rank_high=1,
        provisional=half_width > 78,
        matches=1,
    )


ANCHOR = row("random", 1000, 0)


def test_an_anchor_alone_leads_nobody() -> None:
    rows = [row("calculator", 1300, 200), ANCHOR]
    assert apart(rows) == ([], rows)
    assert lead(rows, "it") == "calculator is ahead in it, but no rating is settled yet"


def test_the_settled_stand_apart_from_the_provisional() -> None:
    settled, provisional = row("honest", 1200, 50), row("new", 1500, 300)
    assert apart([provisional, settled, ANCHOR]) == ([settled, ANCHOR], [provisional])
    assert lead([provisional, settled, ANCHOR], "it") == "honest leads it by 200 ± 50"
    assert lead([row("honest", 1020, 50), ANCHOR], "it").startswith("honest and random share the top")


def test_an_empty_leaderboard_says_so() -> None:
    assert lead([], "it") == "Nobody has played it yet"
