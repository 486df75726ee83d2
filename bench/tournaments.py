"""Whole tournaments through the real thing: schedulers, workers, sandboxes, PostgreSQL and Redis.

``python -m bench.tournaments --kill`` plays, of each game and all at the same time, a Swiss tournament of 64 bots at
tables of four, a double elimination of 32 and a round robin of 20. It does so twice on the same luck: undisturbed, and
while a worker is killed with SIGKILL every few seconds, a scheduler now and then, and the broker once. Both runs are
checked: that every series was played whole and counts once, that every record verifies, that every round can be drawn
again from what is published, and that every seed follows from the secret. Then their standings are compared.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from arena.lifeline import leash

if TYPE_CHECKING:
    from webapp.bots.models import Bot
    from webapp.tournaments.models import Tournament

SOURCE = """import secrets
import zlib

GAME = "{game}"
TASTE = {taste}

# What a bot adds to the luck is its own affair. This one adds nothing, so that two runs have the same.
secrets.token_bytes = lambda size: b""


def choose(view):
    return view.legal[zlib.crc32(repr((TASTE, view.legal)).encode()) % len(view.legal)]
"""
"""Stateless and deterministic: its move depends on nothing but the legal ones."""

LONG_ENOUGH = {"move_ms": 60_000, "bank_ms": 600_000}
"""Deadlines that no load reaches: a late move would be another result."""

SCHEDULER = (sys.executable, "-m", "webapp", "scheduler")
WORKER = (sys.executable, "-m", "celery", "-A", "webapp", "--quiet", "worker", "--concurrency", "1")


class Wrong(Exception):
    """A tournament is not what it has to be."""


class Broker:
    """A Redis that can be killed, and comes back empty at the same address."""

    def __init__(self, folder: str) -> None:
        self.path = Path(folder, "queue.sock")
        self.process = self._run()

    def _run(self) -> subprocess.Popen[bytes]:
        from webapp.supervisor import redis_binary

        options = ["--port", "0", "--unixsocket", str(self.path), "--save", "", "--appendonly", "no"]
        return subprocess.Popen(  # noqa: S603  # our own
            leash([redis_binary(), *options]), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )

    def restart(self) -> None:
        """SIGKILL, and another one in its place."""
        self.end()
        self.process = self._run()

    def end(self) -> None:
        """SIGKILL."""
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def site() -> Iterator[tuple[dict[str, str], Broker]]:
    """A database, a queue and a data folder of our own; yields the environment of our processes, and the queue."""
    from tests import services

    with contextlib.ExitStack() as stack:
        data = stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-cups-"))
        url = stack.enter_context(services.postgresql_server())
        broker = Broker(data)
        stack.callback(broker.end)
        settings = {
            "ARENA_DATA": data,
            "DATABASE_URL": url,
            "BROKER_URL": f"redis+socket://{broker.path}",
            "DJANGO_SETTINGS_MODULE": "webapp.settings",
            "ARENA_LADDER_PAUSE": "100000",
            "LOG_LEVEL": "ERROR",
        }
        os.environ.update(settings)
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        yield {**os.environ}, broker


def prepare(games: list[str], sizes: dict[str, int], matches: int) -> list[Tournament]:
    """The bots, and the tournaments with their first rounds drawn, always on the same luck."""
    from webapp.accounts.models import User
    from webapp.matches.models import Ruleset
    from webapp.matches.rulesets import ensure_rulesets
    from webapp.tournaments import services

    ensure_rulesets()
    olga = User.objects.create_user("olga", "olga@example.org", "a horse of many colours", is_staff=True)
    made = []
    for game in games:
        row = Ruleset.objects.get(key=f"{game}/classic")
        bots = [_bot(game, number) for number in range(max(sizes.values()))]
        for name, count in sizes.items():
            swiss = name == "swiss"
            form = services.make_form(name, most=4 if swiss else 2, ruleset=row, options={"rounds": 6} if swiss else {})
            cup = services.create(
                by=olga, ruleset=row, form=form, name=f"{game} {name} {count}", matches=matches, **LONG_ENOUGH
            )
            services.enter_by_hand(tournament=cup, bots=bots[:count], by=olga)
            with mock.patch.object(services, "secrets", _Known(cup.name)):
                services.start(tournament=cup, by=olga)
            made.append(cup)
    return made


def _bot(game: str, number: int) -> Bot:
    from webapp.bots.models import Bot, Version

    source = SOURCE.format(game=game, taste=number).encode()
    bot = Bot.objects.create(game=game, name=f"bot-{number:02}", house=True, kind=Bot.Kind.HOSTED)
    digest = "sha256:" + hashlib.sha256(source).hexdigest()
    bot.active_version = Version.objects.create(
        bot=bot, digest=digest, number=1, source=source, filename=f"{bot.name}.py"
    )
    bot.save()
    return bot


class _Known:
    """In place of the module ``secrets``: what anybody can tell beforehand from a name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def token_bytes(self, size: int) -> bytes:
        return hashlib.shake_256(self.name.encode()).digest(size)

    def token_hex(self, size: int) -> str:
        return self.token_bytes(size).hex()


class Crew:
    """Schedulers and workers that are killed and replaced."""

    def __init__(self, environment: dict[str, str], workers: int, log: Path) -> None:
        self.environment = environment
        self.commands = [SCHEDULER, SCHEDULER, *[(*WORKER, "--without-gossip", "--without-mingle")] * workers]
        self.log = log
        self.running = [self._run(command) for command in self.commands]
        self.killed = 0

    def _run(self, command: tuple[str, ...]) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(  # noqa: S603  # our own
                leash(command), env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def kill_one(self, dice: random.Random) -> None:
        """SIGKILL to a worker, and at every third time to a scheduler, too; others take their places."""
        workers = [at for at, command in enumerate(self.commands) if command is not SCHEDULER]
        schedulers = [at for at, command in enumerate(self.commands) if command is SCHEDULER]
        for at in [dice.choice(workers), *([dice.choice(schedulers)] if self.killed % 4 == 2 else [])]:
            self.running[at].kill()
            self.running[at].wait()
            self.running[at] = self._run(self.commands[at])
            self.killed += 1

    def end(self) -> None:
        """All of them."""
        for process in self.running:
            process.kill()
            process.wait()


def check(cup: Tournament) -> dict[str, Any]:
    """That a finished tournament is whole; returns what there was of it.

    Raises:
        Wrong: it is not.
    """
    from arena import record as records
    from arena.pairing import Played, Round
    from arena.pairing.luck import block_seed
    from arena.verify import verify
    from webapp.matches.models import Series
    from webapp.tournaments import facts
    from webapp.tournaments.at_table import luck_number

    cup.refresh_from_db()
    secret = bytes(cup.secret or b"")
    if hashlib.sha256(secret).hexdigest() != cup.commitment:
        raise Wrong(f"{cup}: the secret is not the one that was committed to")
    form, entrants, before = facts.form_of(cup), facts.paired(cup.entrants.all()), list[Played]()
    series = matches = retried = 0
    for number, over in enumerate(facts.played(cup), start=1):
        drawn = form.next_round(entrants, before, cup.draw_seed)
        tables = tuple(result.table for result in over.results)
        if not isinstance(drawn, Round) or drawn.tables != tables or drawn.byes != over.byes:
            raise Wrong(f"{cup}: round {number} is another one when it is drawn again")
        before.append(over)
    end = form.next_round(entrants, before, cup.draw_seed)
    if isinstance(end, Round) or cup.champion is None or end.champion != cup.champion.pk:
        raise Wrong(f"{cup}: it has another champion")
    for table in cup.pairings.select_related("series"):
        series += 1
        retried += table.retries
        rows = list(table.series.matches.select_related("block").order_by("number"))
        if table.series.state != Series.State.FINISHED or [row.number for row in rows] != list(
            range(1, table.series.planned + 1)
        ):
            raise Wrong(f"{cup}, table {table.name}: {table.series.state}, {len(rows)} matches")
        for row in rows:
            matches += 1
            verify(records.read(zlib.decompress(bytes(row.record))))
            luck = luck_number(pairing=table, number=row.block.number)
            if row.block.seed != block_seed(secret, table.name, luck).hex():
                raise Wrong(f"{cup}, table {table.name}: its luck does not follow from the secret")
    return {
        "rounds": len(before),
        "series": series,
        "played again": retried,
        "matches": matches,
        "champion": cup.champion.bot.name,
    }


def standings(cup: Tournament) -> list[Any]:
    """The final standings, with the names of bots."""
    from webapp.tournaments import facts

    names = {entrant.pk: entrant.bot.name for entrant in cup.entrants.select_related("bot")}
    return [
        [names[row.entrant], json.loads(json.dumps(row._replace(entrant=0), default=str))]
        for row in facts.standings(cup)
    ]


def once(choices: argparse.Namespace) -> dict[str, list[Any]]:
    """Play all of them, disturbed or not, and check them; returns their standings.

    Raises:
        Wrong: something is not as it has to be.
    """
    sizes = {"swiss": choices.swiss, "double": choices.double, "round-robin": choices.robin}
    with site() as (environment, broker):
        from webapp.matches.models import Block, Series
        from webapp.tournaments.models import Tournament

        cups = prepare(choices.games.split(","), {name: size for name, size in sizes.items() if size}, choices.matches)
        dice = random.Random(choices.seed)  # noqa: S311
        began = killed = time.monotonic()
        restarted = 0
        crew = Crew(environment, choices.workers, Path(environment["ARENA_DATA"], "crew.log"))
        try:
            while Tournament.objects.filter(state=Tournament.State.RUNNING).exists():
                time.sleep(0.25)
                now = time.monotonic()
                if now - began > choices.seconds:
                    raise Wrong(f"not over after {now - began:.0f} s\n{crew.log.read_text()[-3000:]}")
                if now - killed < choices.every:
                    continue
                killed = now
                done = Series.objects.filter(state=Series.State.FINISHED, pairing__isnull=False).count()
                if choices.kill:
                    crew.kill_one(dice)
                    if not restarted and crew.killed > 2:
                        broker.restart()
                        restarted = 1
                print(f"{now - began:5.0f} s, {done} series, {crew.killed} killed", flush=True)
        finally:
            crew.end()
        took = time.monotonic() - began
        retried = 0
        for cup in cups:
            found = check(cup)
            retried += found["played again"]
            print(f"{cup}: " + ", ".join(f"{name} {value}" for name, value in found.items()), flush=True)
        left = Series.objects.filter(pairing=None, purpose=Series.Purpose.TOURNAMENT).count()
        if left != retried:  # one that was put off gives up its table to the next one
            raise Wrong(f"{left} series of tournaments belong to no table, and {retried} were played again")
        broken = Block.objects.filter(state=Block.State.BROKEN).count()
        series = Series.objects.filter(attempt__gt=1).count()
        print(
            f"all of it is right: {took:.0f} s, {crew.killed} processes killed, the broker {restarted} times, "
            f"{series} series taken over, {broken} blocks broken off",
            flush=True,
        )
        return {cup.name: standings(cup) for cup in cups}


def main() -> None:
    """Play, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kill", action="store_true", help="play it once more, and kill processes meanwhile")
    parser.add_argument("--every", type=float, default=20.0, help="seconds between two (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--games", default="three_coins,mia,commerce", help="(default: %(default)s)")
    parser.add_argument("--swiss", type=int, default=64)
    parser.add_argument("--double", type=int, default=32)
    parser.add_argument("--robin", type=int, default=20)
    parser.add_argument("--matches", type=int, default=2, help="of a series (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=3600.0, help="the longest that a run may take")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--standings", type=Path, help=argparse.SUPPRESS)
    choices = parser.parse_args()
    if choices.standings or not choices.kill:
        found = once(choices)
        if choices.standings:
            choices.standings.write_text(json.dumps(found))
        return
    # Django is set up once a process, for one database: each run is a process of its own.
    told = [argument for argument in sys.argv[1:] if argument != "--kill"]
    with tempfile.TemporaryDirectory(prefix="arena-cups-") as folder:
        runs = []
        for name, more in (("undisturbed", []), ("disturbed", ["--kill"])):
            print(f"== {name}", flush=True)
            file = Path(folder, name)
            command = [sys.executable, "-m", "bench.tournaments", *told, *more, "--standings", str(file)]
            subprocess.run(command, check=True)  # noqa: S603  # our own
            runs.append(json.loads(file.read_text()))
    if runs[0] != runs[1]:
        raise Wrong(f"other standings: {[name for name in runs[0] if runs[0][name] != runs[1][name]]}")
    print(f"the standings of all {len(runs[0])} tournaments are the same in both runs")


if __name__ == "__main__":
    main()
