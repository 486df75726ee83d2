"""Every page, for everybody: three languages, two themes, from a phone to a wide screen, and with a screen reader."""

from __future__ import annotations

from itertools import combinations

import pytest
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from arena.games import GAMES
from tests.webapp.languages import Shown, furnish
from tests.webapp.looks import LOOKS, barriers, cut_off, fully_crossed, kind_of, pairwise, window
from webapp.accounts.models import User


def of(shown: Shown, part: str) -> tuple[User | None, dict[str, str]]:
    """Who visits that part of the site, and its pages."""
    found = {
        "public": (None, shown.public),
        "own": (shown.author, shown.own),
        "desk": (shown.organiser, shown.desk),
    }[part]
    # the browser calls its status an error
    return found[0], {name: address for name, address in found[1].items() if name != "nowhere"}


def test_every_two_choices_meet() -> None:
    pages = dict.fromkeys([f"{game}: match" for game in GAMES] + [f"page {number}" for number in range(15)], "")
    visits = [(look, name) for look, names in pairwise(pages).items() for name in names]
    for first, second in combinations(range(3), 2):
        assert {(look[first], look[second]) for look, _ in visits} == {(one[first], one[second]) for one in LOOKS}
    for kind in ("match", "page 0", "page 7"):
        seen = [look for look, name in visits if kind_of(name) == kind]
        assert 360 in {look.width for look in seen}
        assert [len({look[choice] for look in seen}) for choice in range(3)] == (
            [3, 3, 2] if kind == "match" else [2] * 3
        )
    assert sum(map(len, fully_crossed(pages).values())) == len(pages) * len(LOOKS)


@pytest.mark.usefixtures("django_db_setup")  # before the browser's event loop is there
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("part", ["public", "own", "desk"])
def test_a_page_is_for_everybody(
    live_server: LiveServer, browser: Browser, pytestconfig: pytest.Config, part: str
) -> None:
    who, pages = of(furnish(), part)
    every = pytestconfig.getoption("all", default=False)
    visits = fully_crossed(pages) if every else pairwise(pages)
    wrong: dict[str, list[str]] = {}
    asked: set[str] = set()
    for look, names in visits.items():
        with window(browser, look, who, live_server.url) as page:
            said: list[str] = []
            page.on("pageerror", lambda error, said=said: said.append(f"a script failed: {error}"))
            page.on("console", lambda one, said=said: said.append(one.text) if one.type == "error" else None)
            for name in names:
                page.goto(live_server.url + pages[name])
                # axe takes longer than all the rest, so it is asked once a kind: over all of them that is every look
                kind = kind_of(name)
                found = [] if kind in asked and not every else barriers(page)
                asked.add(kind)
                if found := [*found, *cut_off(page), *said]:
                    wrong[f"{name} at {' '.join(map(str, look))}"] = found
                said.clear()
    assert not wrong, "\n".join(f"{where}\n    " + "\n    ".join(found) for where, found in wrong.items())
