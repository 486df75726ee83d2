"""A site with something on every page, and what of a page a reader reads."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any, NamedTuple

from django.urls import reverse

from arena.games import GAMES
from arena.rules import AnyGame, Drawn, Moved, RulesetError, ruleset
from tests.webapp import furniture
from tests.webapp.factories import make_bot, make_match, make_ratings, make_ruleset, make_series, make_user
from webapp.accounts.models import User
from webapp.bots import services
from webapp.bots.models import Bot
from webapp.matches.models import Block, Series

LANGUAGES = ("uk", "ru")


class Shown(NamedTuple):
    """The addresses of a site that has something to show."""

    author: User
    public: dict[str, str]
    """By what they are called in tests."""
    own: dict[str, str]
    """Those that only the author may see."""
    organiser: User
    desk: dict[str, str]
    """Those that only organisers may see."""


def furnish() -> Shown:
    """Bots, matches, series in every state and ratings, of all games; and what people do with them."""
    olena, bohdan, olha = make_user("olena"), make_user("bohdan"), make_user("olha")
    olha.is_staff = olha.is_superuser = True
    olha.save()
    furniture.verify(olena)
    furniture.workers()
    furniture.terminal(olena)
    desk: dict[str, str] = {}
    public = {
        "home": "/",
        "leaderboards": "/leaderboards/",
        "matches": "/matches/",
        "rules": "/rules/",
        "write": "/write/",
        "status": "/status/",
        "play": "/play/",
        "play mia": "/play/?game=mia",
        "login": "/accounts/login/",
        "signup": "/accounts/signup/",
        "password": "/accounts/password/reset/",
        "nowhere": "/nowhere/",
    }
    own = {
        "account": reverse("accounts:account"),
        "delete": reverse("accounts:delete"),
        "bots": reverse("bots:mine"),
        "new bot": reverse("bots:new"),
        "sign out": "/accounts/logout/",
        "e-mail": "/accounts/email/",
    }
    for game in GAMES:
        ruleset = make_ruleset(game=game)
        house = [make_bot(name, game=game) for name in ("calculator", "random", "observer")]
        mirror, shy = (make_bot(name, game=game, owner=olena) for name in ("mirror", "shy"))
        make_ratings(ruleset, [(house[0], 1312, 15), (house[1], 1000, 0), (mirror, 1271, 14), (shy, 1290, 120)])
        for number in range(3):
            match = make_match([*house[:2], mirror], leaves=7 if number else None, seed=number)
        make_series([*house, mirror], state=Series.State.PLAYING)
        make_series([shy, mirror], state=Series.State.WAITING, planned=5)
        off = make_series(
            [house[0], mirror],
            state=Series.State.PUT_OFF,
            note="The platform failed it 3 times in a row; at last: the worker w1 fell silent",
        )
        Block.objects.create(
            series=off,
            number=1,
            state=Block.State.BROKEN,
            reason="the worker w1 fell silent",
            commitment="0" * 64,
            seed="",
            nonce_hashes=["0" * 64],
            nonces=[],
            seating=[0, 1],
        )
        services.retire_bot(bot=shy, by=olena)
        public |= {
            f"{game}: rules": f"/rules/{game}/",
            f"{game}: leaderboard": f"/leaderboards/{game}/classic/",
            f"{game}: matches": f"/matches/?ruleset={game}/classic",
            f"{game}: match": f"/matches/{match.name}/",
            f"{game}: step": f"/matches/{match.name}/step/5/",
            f"{game}: step of a seat": f"/matches/{match.name}/step/5/?as=1",
            f"{game}: step of the public": f"/matches/{match.name}/step/3/?as=public",
            f"{game}: without spoilers": f"/matches/{match.name}/?spoiler=0",
            f"{game}: embedded": f"/embed/{match.name}/step/3/",
            f"{game}: two bots": f"/compare/{game}/?a=mirror&b=calculator",
            f"{game}: series": f"/series/{match.series_id}/",
            f"{game}: series put off": f"/series/{off.pk}/",
            f"{game}: bot": reverse("bot", args=[game, "mirror"]),
            f"{game}: anchor": reverse("bot", args=[game, "random"]),
            f"{game}: retired bot": reverse("bot", args=[game, "shy"]),
            f"{game}: example": f"/rules/{game}/example/",
            f"{game}: step of the example": f"/rules/{game}/example/step/3/",
        }
        own |= {f"{game}: own bot": reverse("bots:own", args=[mirror.pk])}
        desk |= {f"{game}: new ruleset": reverse("own_ruleset_new", args=[game])}
    mirror, house = Bot.objects.get(game="mia", name="mirror"), list(Bot.objects.filter(game="mia", house=True))
    services.issue_token(bot=mirror, by=olena)
    theirs = make_bot("neighbour", game="mia", owner=bohdan)
    clumsy = furniture.quarantined(
        olena, house, reason=f"It was at fault in 3 series in a row; in the last one: {furniture.SLOW}"
    )
    rules = furniture.own_rules(olha, [*house[:2], mirror])
    reported, judged = furniture.moderated(olha, olena, theirs, mirror, make_match([theirs, mirror]))
    own |= furniture.webhooks(olena, mirror)
    own |= furniture.uploaded(olena, house) | reported | {"quarantine": reverse("bots:own", args=[clumsy.pk])}
    cups = furniture.cups(olha, [*house, mirror])
    desk |= {f"{name} at the desk": address for name, address in cups.items()}
    desk |= {"new tournament": reverse("tournament_new")}
    public |= {name: address for name, address in cups.items() if name != "tournament Draft"}
    public |= rules | {"bot in quarantine": reverse("bot", args=["mia", "clumsy"])}
    desk |= judged | rules | {"bot in quarantine": reverse("moderation:bot", args=[clumsy.pk])}
    return Shown(olena, public, own, olha, desk)


def states_of(game: AnyGame, seed: int) -> Iterator[Any]:
    """The positions of a random match of two, by rules that are drawn too."""
    dice = random.Random(seed)
    rules = ruleset(game, dice.choice([preset.name for preset in game.presets]))
    for option in dice.sample(game.options, 4):
        value = dice.choice(option.words) if option.words else option.low + 1
        try:
            rules = ruleset(game, None, {**rules.values, option.name: value})
        except RulesetError:
            continue  # it contradicts the others
    state, _events = game.start(rules, 2)
    for _ in range(60):
        yield state
        due = game.due(state)
        if due is not None:
            state, _events = game.step(state, Drawn(tuple(dice.randrange(size) for size in due.sizes)))
        elif asked := game.asked(state):
            state, _events = game.step(state, Moved({seat: dice.choice(game.legal(state, seat)) for seat in asked}))


class _Reader(HTMLParser):
    """Collects what people read or hear: texts and labels, but no code."""

    UNREAD = ("code", "kbd", "pre", "script", "style", "strong", "textarea")
    """``strong`` marks moves by their names in code on the pages of rules."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []
        self._unread: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        unread = tag in self.UNREAD or given.get("class") in ("hex", "name")
        # what says of itself that it is English: the choice of a language, and the organisers' log
        unread |= tag != "html" and "lang" in given
        if unread or tag in self._unread[-1:]:
            self._unread.append(tag)
        self.read += [
            said for name in ("aria-label", "placeholder", "data-label", "data-play") if (said := given.get(name))
        ]

    def handle_endtag(self, tag: str) -> None:
        if self._unread and tag == self._unread[-1]:
            self._unread.pop()

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self.read.append(data)


def texts_of(page: str) -> list[str]:
    """The texts of a page, without code."""
    reader = _Reader()
    reader.feed(page)
    return [" ".join(text.split()) for text in reader.read if text.strip()]


LATIN = {
    *("Bluff", "Arena", "UTC", "e-mail", "E-mail", "w1"),
    *("olena", "bohdan", "olha", "calculator", "calculat", "random", "observer", "mirror", "shy", "mybot"),
    *("clumsy", "builder", "neighbour", "stranger"),
    *("Python", "numpy", "py", "zip", "bot", "bubblewrap", "seccomp", "landlock", "cgroup"),
    *("Tab", "Escape", "login", "HTTP", "https", "cookie", "LLR", "LOS"),
    *(
        "Draft",
        "Open",
        "Autumn",
        "Winter",
        "League",
        "Cup",
        "BH",
        "SB",
        "CSV",
        "JSON",
        "Atom",
        "HMAC-SHA256",
        "SHA-256",
    ),
    *("arena", "connect", "tables", "roll", "blind", "hide"),
    *(option.name for game in GAMES.values() for option in game.options),
    *(word for game in GAMES.values() for option in game.options for word in option.words),
    *(preset.name for game in GAMES.values() for preset in game.presets),
}
"""What stays Latin: names (one of them shortened), and words of the options and of the command line."""


def english_in(page: str) -> Iterator[str]:
    """Texts of a page in another language that have an English word in them."""
    for text in texts_of(page):
        # no addresses, no ends of tokens, no names of matches, of tables and of rulesets
        plain = re.sub(r"\S+@\S+|…\S+|\b(m-|ba_)\w*|\b[A-Z]\d+\.\d+(\+\d+)?|\b[a-z_]+/[\w-]+", "", text)
        if set(re.findall(r"[A-Za-z][A-Za-z0-9_-]+", plain)) - LATIN:
            yield text
