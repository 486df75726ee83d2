"""Rows for the tests of the site, as the platform itself would have written them."""

from __future__ import annotations

import hashlib
import json
import secrets
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from arena import record as records
from arena.record import Record
from webapp.accounts.models import User
from webapp.bots import services
from webapp.bots.models import Bot, Connection, Version
from webapp.matches.models import Block, Entry, EntryLog, Match, Ruleset, Series, SeriesSeat
from webapp.matches.rulesets import ensure_rulesets

PASSWORD = "a horse of many colours"
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
RECORD = records.read((Path(__file__).parents[1] / "data/records/three_coins-preset.json").read_bytes())


def make_user(name: str = "ada", **more: object) -> User:
    return User.objects.create_user(name, f"{name}@example.org", PASSWORD, **more)


def make_organiser(name: str = "olga") -> User:
    return make_user(name, is_staff=True, is_superuser=True)


def make_bot(owner: User, name: str = "mirror", *, game: str = "three_coins") -> Bot:
    """An author's remote bot, with a version."""
    bot = services.create_bot(owner=owner, game=game, name=name)
    services.declare_version(bot=bot, label="1")
    return bot


def make_house_bot(name: str, *, game: str = "three_coins") -> Version:
    """A house bot with one version, which this returns."""
    bot, _ = Bot.objects.get_or_create(game=game, name=name, defaults={"house": True, "kind": Bot.Kind.HOSTED})
    source = f"# {name}".encode()
    version, _ = Version.objects.get_or_create(
        bot=bot, digest="sha256:" + hashlib.sha256(source).hexdigest(), defaults={"number": 1, "source": source}
    )
    bot.active_version = version
    bot.save()
    return version


def classic() -> Ruleset:
    ensure_rulesets()
    return Ruleset.objects.get(key="three_coins/classic")


def make_series(versions: Sequence[Version], *, state: str = Series.State.FINISHED, planned: int = 1) -> Series:
    lease = BEGINNING if state == Series.State.PLAYING else None
    series = Series.objects.create(ruleset=classic(), planned=planned, state=state, lease_until=lease)
    for seat, version in enumerate(versions):
        SeriesSeat.objects.create(series=series, seat=seat, version=version)
    return series


def make_private(series: Series, purpose: str = Series.Purpose.VALIDATION) -> None:
    """A series with what was played of it, as if it had concerned its author alone from the beginning."""
    assert purpose in Series.PRIVATE
    Series.objects.filter(pk=series.pk).update(purpose=purpose)
    series.matches.update(private=True)
    Entry.objects.filter(match__series=series).update(listed=None)


def make_block(series: Series, *, state: str = Block.State.CLOSED) -> Block:
    seed = secrets.token_bytes(32)
    nonces = [secrets.token_bytes(16) for _ in range(series.seats.count())]
    return Block.objects.create(
        series=series,
        number=series.blocks.count() + 1,
        state=state,
        commitment=hashlib.sha256(seed).hexdigest(),
        seed=seed.hex(),
        nonce_hashes=[hashlib.sha256(nonce).hexdigest() for nonce in nonces],
        nonces=[nonce.hex() for nonce in nonces],
        seating=list(range(len(nonces))),
    )


def make_match(
    versions: Sequence[Version],
    places: Sequence[int] | None = None,
    *,
    series: Series | None = None,
    block: Block | None = None,
    block_state: str = Block.State.CLOSED,
    record: Record | None = None,
    log: str = "",
) -> Match:
    """A finished, rated match of these versions by seat, in a series and a block of its own where none is given."""
    series = series or make_series(versions)
    block = block or make_block(series, state=block_state)
    number = series.matches.count() + 1
    name = f"m-{secrets.token_hex(8)}"
    text = records.write((record or RECORD)._replace(match=name))
    match = Match.objects.create(
        name=name,
        series=series,
        number=number,
        block=block,
        ruleset=series.ruleset,
        rated=True,
        private=series.private,
        reason="last_left",
        steps=12,
        record=zlib.compress(text.encode()),
        record_name=records.name(records.read(text)),
        started=BEGINNING,
        finished=BEGINNING + timedelta(seconds=2),
    )
    for seat, version in enumerate(versions):
        entry = Entry.objects.create(
            match=match,
            seat=seat,
            version=version,
            bot=version.bot,
            listed=None if match.private else match.ruleset,
            place=(places or range(1, len(versions) + 1))[seat],
            score=0,
            moves=4,
            thinking_ms=8.5,
            slowest_ms=3.25,
        )
        if log:
            EntryLog.objects.create(entry=entry, text=log)
    return match


def make_line(bot: Bot, *, series: Series | None = None) -> Connection:
    """A line of a remote bot, alive for a minute."""
    assert bot.active_version is not None
    return Connection.objects.create(
        bot=bot,
        version=bot.active_version,
        session=secrets.token_hex(32),
        door="unix:/nowhere",
        line=secrets.token_hex(8),
        state=Connection.State.SEATED if series else Connection.State.WAITING,
        series=series,
        lease_until=datetime.now(UTC) + timedelta(minutes=1),
        software="bluff-arena 0.1.0",
    )


def text_of(response: object) -> str:
    """All that a response says, headers too."""
    body = getattr(response, "content", b"").decode()
    return body + json.dumps(dict(getattr(response, "headers", {})))
