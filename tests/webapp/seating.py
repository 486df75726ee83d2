"""What the tests of people at tables need: tables of short matches, and seats at them."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client
from playwright.sync_api import Page

from arena.games import find_game
from arena.record import Step, write_steps
from arena.rules import Value, ruleset
from webapp.bots.models import Bot, Version
from webapp.bots.services import ensure_house_bots
from webapp.matches import services as matches
from webapp.matches.models import Ruleset, Series
from webapp.people import services
from webapp.people.models import Sitting
from webapp.people.views import VISITOR

SHORT: Mapping[str, Mapping[str, Value]] = {
    "three_coins": {"max_rounds": 3},
    "mia": {"lives": 2},
    "commerce": {"hands": 2, "max_circles": 2},
}
"""Options under which a match is soon over."""


class Seat:
    """A person at a table: the secret of its address and that of the session."""

    def __init__(self, token: str, visitor: str) -> None:
        self.token = token
        self.address = f"/play/{token}/"
        self.session = SessionStore()
        self.session[VISITOR] = visitor
        self.session.save()

    @property
    def row(self) -> Sitting:
        return Sitting.objects.select_related("series").get(token=services.digest(self.token))

    def client(self, **options: object) -> Client:
        """A browser with this person's cookies."""
        client = Client(**options)  # type: ignore[arg-type]
        client.cookies[settings.SESSION_COOKIE_NAME] = str(self.session.session_key)
        return client

    def open(self, page: Page, url: str) -> None:
        """The same, a real one."""
        name, value = settings.SESSION_COOKIE_NAME, str(self.session.session_key)
        page.context.add_cookies([{"name": name, "value": value, "url": url}])
        page.goto(url + self.address)


def own_rules(game: str, options: Mapping[str, Value]) -> Ruleset:
    values = ruleset(find_game(game), None, options).values
    digits = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]
    found, _made = Ruleset.objects.get_or_create(key=f"{game}/{digits}", game=game, defaults={"options": dict(values)})
    return found


def bots(game: str, *names: str) -> list[Version]:
    if not Bot.objects.filter(game=game, house=True).exists():
        ensure_house_bots()
    found = {one.name: one for one in Bot.objects.filter(game=game, house=True).select_related("active_version")}
    return [version for name in names if (version := found[name].active_version) is not None]


def seated(game: str, *names: str, options: Mapping[str, Value] | None = None, address: str = "203.0.113.7") -> Seat:
    """A person and these bots at a table that waits for somebody to deal."""
    visitor = secrets.token_urlsafe(24)
    token = services.sit_down(
        row=own_rules(game, SHORT[game] if options is None else options),
        opponents=bots(game, *(names or ("calculator",))),
        pace="easy",
        visitor=visitor,
        address=address,
    )
    return Seat(token, visitor)


def dealt(seat: Seat, steps: Sequence[Step], question: int = 1) -> Seat:
    """As if these steps had been played and the person were asked now."""
    row = seat.row
    claim = matches.claim(series_id=row.series_id, worker="test", people=True)
    assert claim is not None
    Series.objects.filter(pk=row.series_id).update(lease_until="2100-01-01T00:00:00Z")
    services.ask(claim=claim, question=question, seconds=60, steps=())
    # as they are: which moves were legal was the rules' to say
    Sitting.objects.filter(pk=row.pk).update(steps=write_steps(steps))
    return seat
