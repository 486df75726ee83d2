"""Made-up bots and matches, as many as one likes, written by PostgreSQL itself: for measurements.

All matches have one and the same record, of a match of four that was really played by chance.
"""

from __future__ import annotations

import contextlib
import hashlib
import zlib
from collections.abc import Sequence
from random import Random
from typing import Any

from django.db import Error, connection, transaction

from arena import chance, record
from arena.games import find_game
from arena.record import DrawStep, Fairness, MovesStep, PlayerLine, Record, Step
from arena.rules import Drawn, Moved, ruleset
from webapp.accounts.models import User
from webapp.bots.models import Bot, Version
from webapp.bots.selectors import ANCHOR
from webapp.matches.models import Ruleset

GAME, PRESET = "three_coins", "classic"
SEATS = 4
MATCHES_A_SERIES = 4
"""All on one luck, as the ladder plays them."""

BOTS_AN_OWNER = 3
SKILL_SD = 2.0
"""Nats: 350 Elo, as the prior of the ratings has it."""

ANCHOR_SHARE = 0.06
"""The share of the tables at which the anchor sits."""

NAME = "seeded"
"""How everything that is made up is called, with a number."""


@transaction.atomic
def make_up(*, matches: int, versions: int, seed: int) -> None:
    """Write bots with a version each, and rated matches among them, the newest a moment ago. PostgreSQL only.

    A match ends as skills that are drawn once say, with chance as the model of the ratings has it.
    """
    dice = Random(seed)  # noqa: S311  # made-up luck
    chosen = _bots(versions)
    board = Ruleset.objects.get(key=f"{GAME}/{PRESET}")
    shown = _record(dice)
    given: dict[str, Any] = {
        "ruleset": board.pk,
        "series": -(-matches // MATCHES_A_SERIES),
        "matches": matches,
        "per_series": MATCHES_A_SERIES,
        "seats": SEATS,
        "versions": [version.pk for version in chosen],
        "bots": [version.bot_id for version in chosen],
        "skills": [0.0, *(dice.gauss(1.5, SKILL_SD) for _ in chosen[1:])],
        "anchor_share": ANCHOR_SHARE,
        "stride": (len(chosen) - 1) // (SEATS - 1),
        "record": zlib.compress(record.write(shown).encode(), 9),
        "record_name": record.name(shown),
        "steps": len(shown.steps),
        "commitment": shown.fairness.commitment,
        "house_seed": shown.fairness.seed,
        "nonce_hashes": _json(shown.fairness.nonce_hashes),
        "nonces": _json(shown.fairness.nonces),
        "seating": _json(range(SEATS)),
        "dice": dice.uniform(-1, 1),
    }
    # The rows refer to each other rightly; to check each of millions takes longer than to write them. Without the right
    # to this they are checked.
    with contextlib.suppress(Error), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
    with connection.cursor() as cursor:
        for table in ("series", "block", "match"):
            cursor.execute(f"SELECT COALESCE(MAX(id), 0) FROM matches_{table}")  # noqa: S608
            given[f"{table}_from"] = cursor.fetchone()[0]
        for statement in _STATEMENTS:
            cursor.execute(statement, given)


def _json(values: Sequence[object]) -> str:
    """A list as PostgreSQL reads JSON."""
    return "[" + ", ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in values) + "]"


def _bots(count: int) -> list[Version]:
    """So many bots with a version each, the anchor first; what is there already of them is used again."""
    house, _made = Bot.objects.get_or_create(game=GAME, name=ANCHOR, defaults={"house": True, "kind": Bot.Kind.HOSTED})
    numbers = range(count - 1)
    names = [f"{NAME}-{number}" for number in range(-(-len(numbers) // BOTS_AN_OWNER))]
    User.objects.bulk_create(
        [User(username=name, email=f"{name}@example.org", password="!") for name in names],  # noqa: S106  # which nobody can use
        ignore_conflicts=True,
    )
    people = {user.username: user for user in User.objects.filter(username__in=names)}
    owners = [people[names[number // BOTS_AN_OWNER]] for number in numbers]
    Bot.objects.bulk_create(
        [
            Bot(game=GAME, name=f"{NAME}-{number}", owner=owner, kind=Bot.Kind.REMOTE)
            for number, owner in zip(numbers, owners, strict=True)
        ],
        ignore_conflicts=True,
    )
    bots = [house, *Bot.objects.filter(game=GAME, name__in=[f"{NAME}-{number}" for number in numbers]).order_by("id")]
    Version.objects.bulk_create(
        [
            Version(bot=bot, number=1, digest="sha256:" + hashlib.sha256(bot.name.encode()).hexdigest(), declared=True)
            for bot in bots
        ],
        ignore_conflicts=True,
    )
    first = {version.bot_id: version for version in Version.objects.filter(bot__in=bots, number=1).defer("source")}
    for bot in bots:
        bot.active_version = bot.active_version or first[bot.pk]
    Bot.objects.bulk_update(bots, ["active_version"], batch_size=500)
    return [first[bot.pk] for bot in bots]


def _record(dice: Random) -> Record:
    """A match of as many as sit at a table, of whatever moves chance brings, on luck that can be verified."""
    game = find_game(GAME)
    rules = ruleset(game, PRESET)
    house, nonces = dice.randbytes(32), [dice.randbytes(16) for _ in range(SEATS)]
    key = chance.table_key(house, nonces)
    state, _events = game.start(rules, SEATS)
    steps: list[Step] = []
    while (outcome := game.outcome(state)) is None:
        due = game.due(state)
        if due is not None:
            got = chance.draw(key, due.label, due.sizes)
            steps.append(DrawStep(due.label, due.sizes, got))
            state, _events = game.step(state, Drawn(got))
        else:
            moves = {seat: dice.choice(game.legal(state, seat)) for seat in game.asked(state)}
            steps.append(MovesStep({seat: game.write(move) for seat, move in moves.items()}, dict.fromkeys(moves, 1.5)))
            state, _events = game.step(state, Moved(moves))
    return Record(
        game=GAME,
        preset=rules.preset,
        options=rules.values,
        match=f"m-{0:016x}",
        started="2026-01-01T00:00:00Z",
        players=tuple(PlayerLine(seat, f"{NAME}-{seat}", f"sha256:{seat:064x}") for seat in range(SEATS)),
        fairness=Fairness(
            chance.digest(house).hex(),
            house.hex(),
            tuple(chance.digest(nonce).hex() for nonce in nonces),
            tuple(nonce.hex() for nonce in nonces),
        ),
        steps=tuple(steps),
        outcome=outcome,
    )


_STATEMENTS = (
    "SELECT setseed(%(dice)s)",
    # who sits where: `stride` apart in the list of versions, so that all at a table differ
    """
    CREATE TEMPORARY TABLE made_up ON COMMIT DROP AS
    WITH tables AS (
        SELECT series, stride, CASE WHEN random() < %(anchor_share)s THEN 0 ELSE first END AS first
        FROM (
            SELECT series,
                   floor(random() * cardinality(%(versions)s::bigint[]))::int AS first,
                   1 + floor(random() * %(stride)s)::int AS stride
            FROM generate_series(1, %(series)s) AS series OFFSET 0
        ) AS drawn
    ), seats AS (
        SELECT series, seat, 1 + mod(first + seat * stride, cardinality(%(versions)s::bigint[])) AS who
        FROM tables, generate_series(0, %(seats)s - 1) AS seat
    )
    SELECT series, seat, (%(versions)s::bigint[])[who] AS version, (%(bots)s::bigint[])[who] AS bot,
           (%(skills)s::float8[])[who] AS skill
    FROM seats
    """,
    """
    INSERT INTO matches_series (id, ruleset_id, purpose, rated, planned, duplicate, ready_ms, move_ms, bank_ms, state,
                                attempt, broken, worker, note, created, started, finished)
    SELECT %(series_from)s + n, %(ruleset)s, 'ladder', true, %(per_series)s, true, 10000, 1000, 10000, 'finished',
           1, 0, '', '', moment - interval '2 s', moment - interval '1 s', moment
    FROM (SELECT n, now() - (%(series)s - n) * interval '2 s' AS moment FROM generate_series(1, %(series)s) AS n) AS s
    """,
    """
    INSERT INTO matches_seriesseat (series_id, seat, version_id, removed, output)
    SELECT %(series_from)s + series, seat, version, '', '' FROM made_up ORDER BY series, seat
    """,
    """
    INSERT INTO matches_block (id, series_id, number, state, reason, commitment, seed, nonce_hashes, nonces, seating,
                               created, closed)
    SELECT %(block_from)s + n, %(series_from)s + n, 1, 'closed', '', %(commitment)s, %(house_seed)s,
           %(nonce_hashes)s::jsonb, %(nonces)s::jsonb, %(seating)s::jsonb, now(), now()
    FROM generate_series(1, %(series)s) AS n
    """,
    """
    INSERT INTO matches_match (id, name, series_id, number, block_id, ruleset_id, rated, voided, reason, steps, faults,
                               record, record_name, runtime, started, finished)
    SELECT %(match_from)s + n, 'm-' || substr(md5('made up' || (%(match_from)s + n)::text), 1, 16),
           %(series_from)s + 1 + (n - 1) / %(per_series)s, 1 + mod(n - 1, %(per_series)s),
           %(block_from)s + 1 + (n - 1) / %(per_series)s, %(ruleset)s, true, false, 'last_left', %(steps)s, 0,
           %(record)s, %(record_name)s, '', moment - interval '1 s', moment
    FROM (
        SELECT n, now() - (%(matches)s - n) * interval '0.5 s' AS moment FROM generate_series(1, %(matches)s) AS n
    ) AS m
    """,
    # the smallest of exponential times at the rates exp(skill) comes first: a table of Plackett and Luce
    """
    INSERT INTO matches_entry (match_id, seat, version_id, bot_id, listed_id, place, score, fault, moves,
                               thinking_ms, slowest_ms)
    SELECT %(match_from)s + n, mod(seat + n, %(seats)s), version, bot, %(ruleset)s, place,
           %(seats)s - place, '', 8, 12.5, 3.5
    FROM (
        SELECT n, seat, version, bot, rank() OVER (PARTITION BY n ORDER BY -ln(1 - random()) * exp(-skill)) AS place
        FROM generate_series(1, %(matches)s) AS n JOIN made_up ON series = 1 + (n - 1) / %(per_series)s
    ) AS played
    ORDER BY n
    """,
    *(
        f"SELECT setval(pg_get_serial_sequence('matches_{table}', 'id'), (SELECT MAX(id) FROM matches_{table}))"  # noqa: S608
        for table in ("series", "block", "match")
    ),
)
