"""Rows for tests: matches that were really played, with random legal moves, on luck that can be verified."""

from __future__ import annotations

import hashlib
import random
import zlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from arena import chance, record, rules
from arena.games import find_game
from arena.record import DrawStep, Fairness, FaultStep, MovesStep, PlayerLine, Record, Step
from arena.rules import Drawn, Left, Moved
from webapp.accounts.models import User
from webapp.bots.models import Bot, Version
from webapp.matches.models import Block, Entry, Match, Ruleset, Series, SeriesSeat
from webapp.matches.rulesets import flagship
from webapp.ratings.models import Rating, Snapshot


def make_user(name: str = "author") -> User:
    return User.objects.create_user(name, f"{name}@example.org", "a long enough password")


def make_bot(name: str, *, game: str = "three_coins", owner: User | None = None, **fields: Any) -> Bot:
    """A bot with one version, which is active. A remote one, where it has an owner."""
    house = owner is None
    kind = Bot.Kind.HOSTED if house else Bot.Kind.REMOTE
    bot = Bot.objects.create(**{"name": name, "game": game, "owner": owner, "house": house, "kind": kind} | fields)
    digest = "sha256:" + hashlib.sha256(f"{game}/{name}".encode()).hexdigest()
    bot.active_version = Version.objects.create(bot=bot, digest=digest, number=1, declared=not house)
    bot.save()
    return bot


def make_ruleset(preset: str = "classic", *, game: str = "three_coins") -> Ruleset:
    values = dict(rules.ruleset(find_game(game), preset).values)
    found, _made = Ruleset.objects.get_or_create(
        key=f"{game}/{preset}",
        defaults={"game": game, "preset": preset, "options": values, "flagship": preset == flagship(find_game(game))},
    )
    return found


def make_series(bots: Sequence[Bot], *, ruleset: Ruleset | None = None, **fields: Any) -> Series:
    """A series, finished unless ``fields`` say otherwise."""
    now = timezone.now()
    values: dict[str, Any] = {"planned": 1, "state": Series.State.FINISHED, "started": now, "finished": now}
    values |= fields
    if values["state"] == Series.State.PLAYING:
        values |= {"lease_until": now + timedelta(minutes=1), "finished": None} | fields
    series = Series.objects.create(ruleset=ruleset or make_ruleset(game=bots[0].game), **values)
    for seat, bot in enumerate(bots):
        assert bot.active_version is not None
        SeriesSeat.objects.create(series=series, seat=seat, version=bot.active_version)
    return series


def play(
    names: Sequence[str],
    *,
    match: str,
    game: str = "three_coins",
    preset: str = "classic",
    options: Mapping[str, object] | None = None,
    seed: int = 0,
    luck: Mapping[str, tuple[int, ...]] | None = None,
    script: Sequence[Mapping[int, str]] | None = None,
    started: datetime | None = None,
    leaves: int | None = None,
) -> Record:
    """A match that is played to its end: by ``script``, a list of moves by seat, and then at random.

    Args:
        names: the players, by seat.
        match: the name of the match.
        game: its game.
        preset: its rules.
        options: what is changed of them.
        seed: what everything random follows from.
        luck: draws by their label that do not follow from it: no record with these can be verified.
        script: the first moves, or all.
        started: when; now by default.
        leaves: the number of the decision at which the seat that is asked first is late, and forfeits.
    """
    played = find_game(game)
    chooser = random.Random(seed)
    house, nonces = chooser.randbytes(32), [chooser.randbytes(16) for _ in names]
    key = chance.table_key(house, nonces)
    ruleset = rules.ruleset(played, preset, options)
    state, _events = played.start(ruleset, len(names))
    steps: list[Step] = []
    decisions = 0
    script_left = list(script or ())
    while (outcome := played.outcome(state)) is None:
        due = played.due(state)
        if due is not None:
            got = (luck or {}).get(due.label) or chance.draw(key, due.label, due.sizes)
            steps.append(DrawStep(due.label, due.sizes, got))
            state, _events = played.step(state, Drawn(got))
            continue
        asked = played.asked(state)
        decisions += 1
        if decisions == leaves:
            steps.append(FaultStep(asked[0], "late", "no answer; it had 1000 ms to move (after 1000.7 ms)", "forfeit"))
            state, _events = played.step(state, Left(frozenset((asked[0],))))
            continue
        if script_left:
            texts = dict(script_left.pop(0))
        else:
            texts = {seat: played.write(_choose(chooser, played.legal(state, seat))) for seat in asked}
        steps.append(MovesStep(texts, {seat: round(chooser.uniform(0.2, 4), 1) for seat in asked}))
        state, _events = played.step(state, Moved({seat: played.parse(text) for seat, text in texts.items()}))
    return Record(
        game=game,
        preset=ruleset.preset,
        options=ruleset.values,
        match=match,
        started=(started or timezone.now()).strftime("%Y-%m-%dT%H:%M:%SZ"),
        players=tuple(PlayerLine(seat, name, f"sha256:{seat:064x}") for seat, name in enumerate(names)),
        fairness=Fairness(
            chance.digest(house).hex(),
            house.hex(),
            tuple(chance.digest(nonce).hex() for nonce in nonces),
            tuple(nonce.hex() for nonce in nonces),
        ),
        steps=tuple(steps),
        outcome=outcome,
    )


def _choose(chooser: random.Random, legal: Sequence[Any]) -> Any:
    """Any legal move, but rather a small one: a bid of everything ends each round at once."""
    return legal[min(chooser.randrange(len(legal)), chooser.randrange(len(legal)))]


_made = 0


def make_match(
    bots: Sequence[Bot],
    *,
    ruleset: Ruleset | None = None,
    series: Series | None = None,
    state: str = Block.State.CLOSED,
    played: Record | None = None,
    seed: int | None = None,
    finished: datetime | None = None,
    number: int = 1,
    leaves: int | None = None,
    **fields: Any,
) -> Match:
    """A match of these bots with its series, its block (in ``state``) and its entries."""
    global _made
    _made += 1
    ruleset = ruleset or make_ruleset(game=bots[0].game)
    finished = finished or timezone.now()
    series = series or make_series(bots, ruleset=ruleset, started=finished, finished=finished)
    name = f"m-{_made:016x}"
    if played is None:
        names = [bot.name for bot in bots]
        number_seed = _made if seed is None else seed
        played = play(
            names,
            match=name,
            game=ruleset.game,
            preset=ruleset.preset,
            seed=number_seed,
            started=finished,
            leaves=leaves,
        )
    else:
        played = played._replace(match=name)
    fairness = played.fairness
    block = Block.objects.create(
        series=series,
        number=series.blocks.count() + 1,
        state=state,
        commitment=fairness.commitment,
        seed=fairness.seed or "",
        nonce_hashes=list(fairness.nonce_hashes),
        nonces=list(fairness.nonces),
        seating=list(range(len(bots))),
        closed=finished if state == Block.State.CLOSED else None,
    )
    match = Match.objects.create(
        **{
            "name": name,
            "series": series,
            "number": number,
            "block": block,
            "ruleset": ruleset,
            "rated": True,
            "private": series.private,
            "reason": played.outcome.reason,
            "steps": len(played.steps),
            "faults": sum(isinstance(step, FaultStep) for step in played.steps),
            "record": zlib.compress(record.write(played).encode()),
            "record_name": record.name(played),
            "started": finished,
            "finished": finished,
        }
        | fields
    )
    Entry.objects.bulk_create(
        Entry(
            match=match,
            seat=seat,
            version=bot.active_version,
            bot=bot,
            listed=None if match.private else match.ruleset,
            place=played.outcome.places[seat],
            score=played.outcome.scores[seat],
            moves=1,
            thinking_ms=7.5,
            slowest_ms=2.5,
        )
        for seat, bot in enumerate(bots)
    )
    return match


def make_ratings(ruleset: Ruleset, rated: Sequence[tuple[Bot, float, float]], *, matches: int = 400) -> Snapshot:
    """A snapshot with (bot, Elo, half width); a half width above 78 is provisional."""
    snapshot = Snapshot.objects.create(
        ruleset=ruleset, algorithm="test", watermark=1, matches=matches, rows_sha256="0" * 64, inputs_sha256="0" * 64
    )
    for bot, elo, half in rated:
        assert bot.active_version is not None
        surely = sum(other - width > elo + half for _bot, other, width in rated)
        below = sum(other + width < elo - half for _bot, other, width in rated)
        Rating.objects.create(
            snapshot=snapshot,
            version=bot.active_version,
            elo=elo,
            half_width=half,
            provisional=half > 78,
            rank_low=1 + surely,
            rank_high=max(1 + surely, len(rated) - below),
            matches=matches,
        )
    return snapshot
