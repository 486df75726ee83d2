"""Following a running match: what spectators are sent, and what they are not."""

from __future__ import annotations

import asyncio
import html
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from arena import chance
from arena.clock import FakeClock
from arena.games import GAMES, find_game
from arena.record import Record
from arena.referee import Luck, Terms, play
from arena.rules import OMNISCIENT, PUBLIC, AnyGame, Event, ruleset
from arena.seats import ScriptedSeat
from arena.table import Player, Question
from arena.verify import fold
from arena.verify import frames as seen_by
from tests.webapp.playing import hosted, record_of, series_of
from tests.webapp.streaming import Listener, said_in, streaming
from webapp.live import channels, frames
from webapp.live.app import BEAT_SECONDS, until_the_beat
from webapp.live.news import own_channel
from webapp.live.table import Teller
from webapp.matches.models import Series
from webapp.matches.runner import run_series

BOTS = ("anna", "boris", "anna")
DATA = Path(__file__).parents[1] / "data/records"


def seats(game: AnyGame, count: int) -> list[ScriptedSeat]:
    """Seats that play by chance, always the same."""

    def acting(seat: int) -> list[Callable[[Question], Any]]:
        chooser = random.Random(seat)

        async def act(question: Question) -> Any:
            return chooser.choice(question.view.legal)

        return [act] * 5000

    return [ScriptedSeat(game, acting(seat)) for seat in range(count)]


def played(
    name: str,
    watch: Callable[[Any, tuple[Event, ...]], None] | None = None,
    *,
    seed: bytes = b"seed",
    playing: Sequence[ScriptedSeat] = (),
) -> Record:
    """A match of three."""
    game = find_game(name)
    players = tuple(Player(bot, f"sha256:{seat:064x}") for seat, bot in enumerate(BOTS))
    terms = Terms("m-1", ruleset(game, game.presets[0].name), players, None)
    luck = Luck(chance.digest(seed), tuple(bytes([seat]) for seat in range(len(BOTS))))
    return asyncio.run(play(game, terms, playing or seats(game, len(BOTS)), luck, clock=FakeClock(), watch=watch))


def teller(series: int, game: str, bots: Sequence[str] = BOTS) -> Teller:
    return Teller(series, game=find_game(game), match="m-1", number=1, planned=2, bots=bots)


# ---- frames ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_a_frame_is_read_as_it_was_written(name: str) -> None:
    for frame in seen_by(played(name), PUBLIC):
        frame = frame._replace(step=frames.NO_STEP)
        again = frames.read(name, frames.write(frame))
        assert again == frame
        # events of different types can be equal as tuples
        assert [type(event) for event in again.events] == [type(event) for event in frame.events]


def test_what_is_no_frame_is_refused() -> None:
    for text in ("", "{}", "[1]", '[{"State":[]},[]]', '[{"View":[]},[]]', '[{"__import__":["os"]},[]]'):
        with pytest.raises(ValueError, match=r"."):
            frames.read("mia", text)


# ---- what leaves the table ------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_what_is_told_of_a_match_is_what_the_public_saw_and_nothing_else(
    name: str, live_redis: str, listen: Callable[..., Listener]
) -> None:
    with streaming(live_redis) as root:
        spectator = listen(f"{root}series-7?language=en")
        told = teller(7, name)
        record = played(name, told.watch)
        told.end(whole=True)
        kept = said_in(live_redis, "series-7")
        # the record, folded by itself, gives the very same bytes from what the public saw
        public = [frame._replace(step=frames.NO_STEP) for frame in seen_by(record, PUBLIC)]
        expected = [f"{number} {frames.write(frame)}".encode() for number, frame in enumerate(public)]
        assert [kind for kind, _ in kept] == ["match", *["frame"] * len(expected), "end"]
        assert [data for kind, data in kept if kind == "frame"] == expected
        assert json.loads(kept[0][1]) == {
            "match": "m-1",
            "game": name,
            "number": 1,
            "planned": 2,
            "bots": list(BOTS),
        }
        while "its page" not in (last := spectator.until("table")).data:
            pass
        assert "anna (2)" in last.data
        late = listen(f"{root}series-7?language=uk").until("table")
        assert late.id == last.id
        # numbers of Redis are moments, and tell how long somebody thought
        assert {int(said.id.partition("-")[0]) % 1000 for said in (last, late)} == {0}
        assert late.data != last.data


def test_cards_in_the_hands_are_in_no_byte_that_a_spectator_is_sent(
    live_redis: str, listen: Callable[..., Listener]
) -> None:
    hidden: set[str] = set()
    open_: set[str] = set()
    over = []
    game = find_game("commerce")
    with streaming(live_redis) as root:
        spectator = listen(f"{root}series-7?language=en")
        told = teller(7, "commerce")

        def watch(state: Any, events: tuple[Event, ...]) -> None:
            """The first hand, until cards are shown."""
            view = game.view(state, OMNISCIENT)
            over.extend(event for event in events if type(event).__name__ in ("Scored", "HandEnded"))
            if over:
                return
            told.watch(state, events)
            hidden.update(card for cards in view.hands for card in cards or ())
            hidden.update(view.hidden.stock)

        played("commerce", watch)
        assert len(hidden) == 52
        raw = b"".join(data for _, data in said_in(live_redis, "series-7")).decode()
        for card in hidden - open_:
            assert f'"{card}"' not in raw
        channels.publish("series-7", "changed")
        spectator.until("changed")  # the last picture came before it
        spectator.close()
        sent = html.unescape(spectator.bytes.decode())
        assert "to trade" in sent or "buys a card" in sent
        assert "♠" not in sent
        assert "spades" not in sent


OPENED = {"Scored", "HandEnded", "FistsOpened", "Turned", "RoundEnded"}
"""Events with which everybody sees what was hidden."""

IN_THE_HAND = {"hide", "buy", "offer", "give"}
"""Moves of which the others see that they were made, and not with what."""


def told_until_shown(name: str, luck: bytes, course: int, hands: int) -> list[tuple[str, bytes]]:
    """All that spectators of a match are told before anything hidden is shown.

    What the table sees of the moves follows from ``course``, whatever the luck; ``hands`` says what is done in secret.
    """
    game = find_game(name)

    def acting(seat: int) -> Callable[[Question], Any]:
        open_, secret = random.Random(f"{course} {seat}"), random.Random(f"{hands} {seat}")

        async def act(question: Question) -> Any:
            kinds = sorted({game.write(move).split()[0] for move in question.view.legal})
            kind = open_.choice([kinds[0], kinds[0], *kinds])
            rest = [move for move in question.view.legal if game.write(move).split()[0] == kind]
            if kind in IN_THE_HAND:
                return secret.choice(rest)
            return rest[min(open_.randrange(len(rest)) for _ in range(3))]  # rather a small one: more happens then

        return act

    sender, shown = teller(7, name), False

    def watch(state: Any, events: tuple[Event, ...]) -> None:
        nonlocal shown
        shown = shown or any(type(event).__name__ in OPENED for event in events)
        if not shown:
            sender.watch(state, events)

    playing = [ScriptedSeat(game, [acting(seat)] * 5000) for seat in range(len(BOTS))]
    played(name, watch, seed=luck, playing=playing)
    return said_in(channels.redis_url(), "series-7")


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.usefixtures("live_redis")
def test_a_match_on_other_luck_looks_the_same_until_something_is_shown(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other cards, dice and fists: not a byte differs of all that a spectator is told."""
    draw = chance.draw

    def with_the_same_lot(key: bytes, label: str, sizes: Sequence[int]) -> tuple[int, ...]:
        return draw(bytes(32) if label.startswith("start/") else key, label, sizes)  # everybody sees who begins

    monkeypatch.setattr(chance, "draw", with_the_same_lot)
    compared = []
    for course in range(12):
        twins = [told_until_shown(name, b"%d" % luck, course, hands=luck) for luck in range(3)]
        longest = max(twins, key=len)
        assert all(twin == longest[: len(twin)] for twin in twins)
        compared.append(sorted(map(len, twins))[-2])
    assert max(compared) >= 7


def test_whoever_follows_a_match_comes_back_to_where_he_was(live_redis: str, listen: Callable[..., Listener]) -> None:
    """Though the number that he was told is a coarse one, he misses nothing."""
    record = played("commerce")
    steps = [(folded.state, folded.events) for folded in fold(record)]
    told = teller(7, "commerce")
    with streaming(live_redis) as root:
        told.watch(*steps[0])
        first, staying = (listen(f"{root}series-7?language=en") for _ in range(2))
        seen = first.until("table")
        first.close()
        told.watch(*steps[1])
        told.watch(*steps[2])
        channels.publish("series-7", "changed")
        staying.until("changed")  # what was said before it is known to the process now, and not to Redis alone
        again = listen(f"{root}series-7?language=en", after=seen.id).until("table")
        assert again.data != seen.data
        late = listen(f"{root}series-7?language=en").until("table")
        assert late.data == again.data


def test_what_is_public_is_told_on_a_beat() -> None:
    for now in (0.0, 1.5e9 + 0.07, 1.5e9 + 0.299, 1.7e9 + 123.4):
        wait = until_the_beat(now)
        assert 0 < wait <= BEAT_SECONDS
        after = (now + wait) % BEAT_SECONDS
        assert min(after, BEAT_SECONDS - after) == pytest.approx(0, abs=1e-5)


def test_a_message_that_cannot_be_read_stops_no_other_channel(live_redis: str, listen: Callable[..., Listener]) -> None:
    with streaming(live_redis) as root:
        spoilt, other = listen(f"{root}series-7"), listen(f"{root}home")
        channels.publish("series-7", "match", "{")
        channels.publish("home", "changed")
        assert other.next().kind == "changed"
        channels.publish("series-7", "changed")
        assert spoilt.next().kind == "changed"


def test_a_watched_match_is_the_match_that_it_would_have_been(live_redis: str) -> None:
    for name in GAMES:
        assert played(name, teller(8, name).watch) == played(name)
        assert all(folded is not None for folded in fold(played(name)))


# ---- the runner -----------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("let_go_of_the_database")
def test_a_worker_tells_how_its_matches_go_but_not_those_of_a_validation(live_redis: str) -> None:
    versions = [hosted("first"), hosted("second")]
    series = series_of(versions, planned=2)
    private = series_of(versions, planned=2, purpose=Series.Purpose.VALIDATION)
    for one in (series, private):
        run_series(one.pk, "worker")
    kept = said_in(live_redis, f"series-{series.pk}")
    last = record_of(series.matches.get(number=2))
    assert json.loads(kept[0][1])["match"] == last.match  # the second match took the place of the first
    public = [frame._replace(step=frames.NO_STEP) for frame in seen_by(last, PUBLIC)]
    assert [data.split(b" ", 1)[1].decode() for kind, data in kept if kind == "frame"] == list(
        map(frames.write, public)
    )
    assert ("end", b"whole") in kept
    assert ("changed", b"") in kept
    assert b"ms" not in b"".join(data for kind, data in kept if kind == "frame")
    assert said_in(live_redis, f"series-{private.pk}") == []
    assert set(said_in(live_redis, own_channel("series", private.pk))) == {("changed", b"")}
    others = {own_channel("series", 1 + private.pk), own_channel("comparison", private.pk)}
    assert own_channel("series", private.pk) not in others
    assert ("changed", b"") in said_in(live_redis, "home")


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("let_go_of_the_database")
def test_without_redis_a_series_is_played_as_fast_and_as_well(settings: Any) -> None:
    settings.ARENA_LIVE_REDIS = "unix:///nowhere/redis.sock"
    series = series_of([hosted("first"), hosted("second")], planned=2)
    run_series(series.pk, "worker")
    series.refresh_from_db()
    assert series.state == Series.State.FINISHED
    assert series.matches.count() == 2
