"""Whole tournaments through the real thing: schedulers, workers, sandboxes, PostgreSQL and Redis.

``python -m bench.tournaments --kill`` plays a Swiss tournament of 64 bots, a double elimination of 32 and a round robin
of 20 at the same time, kills a scheduler or a worker with SIGKILL every few seconds meanwhile, and then checks all of
it: that every series was played whole and counts once, that every record verifies, that every round can be drawn again
from what is published, and that every seed follows from the secret.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
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

from arena.lifeline import leash

if TYPE_CHECKING:
    from webapp.tournaments.models import Tournament

SOURCE = """GAME = "three_coins"
TASTE = {taste}


def choose(view):
    return view.legal[TASTE % len(view.legal)]
"""

SCHEDULER = (sys.executable, "-m", "webapp", "scheduler")
WORKER = (sys.executable, "-m", "celery", "-A", "webapp", "--quiet", "worker", "--concurrency", "1")


class Wrong(Exception):
    """A tournament is not what it has to be."""


@contextlib.contextmanager
def site() -> Iterator[dict[str, str]]:
    """A database, a queue and a data folder of our own; yields the environment of our processes."""
    from tests import services

    with contextlib.ExitStack() as stack:
        data = stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-cups-"))
        url = stack.enter_context(services.postgresql_server())
        queue = stack.enter_context(services.redis_server()).replace("unix://", "redis+socket://", 1)
        settings = {
            "ARENA_DATA": data,
            "DATABASE_URL": url,
            "BROKER_URL": queue,
            "DJANGO_SETTINGS_MODULE": "webapp.settings",
            "ARENA_LADDER_PAUSE": "100000",
            "LOG_LEVEL": "ERROR",
        }
        os.environ.update(settings)
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        yield {**os.environ}


def prepare(sizes: dict[str, int], matches: int) -> list[Tournament]:
    """The bots, and the tournaments with their first rounds drawn."""
    from webapp.accounts.models import User
    from webapp.bots.models import Bot, Version
    from webapp.matches.models import Ruleset
    from webapp.matches.rulesets import ensure_rulesets
    from webapp.tournaments import services

    ensure_rulesets()
    row = Ruleset.objects.get(key="three_coins/duel")
    olga = User.objects.create_user("olga", "olga@example.org", "a horse of many colours", is_staff=True)
    bots = []
    for number in range(max(sizes.values())):
        source = SOURCE.format(taste=number).encode()
        bot = Bot.objects.create(game="three_coins", name=f"bot-{number:02}", house=True, kind=Bot.Kind.HOSTED)
        digest = "sha256:" + hashlib.sha256(source).hexdigest()
        bot.active_version = Version.objects.create(
            bot=bot, digest=digest, number=1, source=source, filename=f"{bot.name}.py"
        )
        bot.save()
        bots.append(bot)
    made = []
    for name, count in sizes.items():
        options = {"rounds": 6} if name == "swiss" else {}
        form = services.make_form(name, most=2, ruleset=row, options=options)
        cup = services.create(by=olga, ruleset=row, form=form, name=f"{name} {count}", matches=matches)
        services.enter_by_hand(tournament=cup, bots=bots[:count], by=olga)
        services.start(tournament=cup, by=olga)
        made.append(cup)
    return made


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
        """SIGKILL to one of them; another one takes its place."""
        at = dice.randrange(len(self.running))
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
    if Series.objects.filter(pairing=None, purpose=Series.Purpose.TOURNAMENT).count() > retried:
        raise Wrong("there are series of a tournament that belong to no table")
    return {"rounds": len(before), "series": series, "matches": matches, "champion": cup.champion.bot.name}


def main() -> None:
    """Play, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kill", action="store_true", help="kill a process every few seconds")
    parser.add_argument("--every", type=float, default=20.0, help="seconds between two (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--swiss", type=int, default=64)
    parser.add_argument("--double", type=int, default=32)
    parser.add_argument("--robin", type=int, default=20)
    parser.add_argument("--matches", type=int, default=2, help="of a series (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=1800.0, help="the longest that it may take")
    parser.add_argument("--seed", type=int, default=1)
    choices = parser.parse_args()
    sizes = {"swiss": choices.swiss, "double": choices.double, "round-robin": choices.robin}
    with site() as environment:
        from webapp.matches.models import Block, Series
        from webapp.tournaments.models import Tournament

        cups = prepare({name: size for name, size in sizes.items() if size}, choices.matches)
        dice = random.Random(choices.seed)  # noqa: S311
        began = killed = time.monotonic()
        crew = Crew(environment, choices.workers, Path(environment["ARENA_DATA"], "crew.log"))
        try:
            while Tournament.objects.filter(state=Tournament.State.RUNNING).exists():
                time.sleep(0.25)
                now = time.monotonic()
                if now - began > choices.seconds:
                    raise Wrong(f"not over after {now - began:.0f} s\n{crew.log.read_text()[-3000:]}")
                if choices.kill and now - killed > choices.every:
                    crew.kill_one(dice)
                    killed = now
                    done = Series.objects.filter(state=Series.State.FINISHED, pairing__isnull=False).count()
                    print(f"\r{now - began:5.0f} s, {done} series, {crew.killed} killed", end="", flush=True)
        finally:
            crew.end()
        took = time.monotonic() - began
        print()
        for cup in cups:
            print(f"{cup}: " + ", ".join(f"{name} {value}" for name, value in check(cup).items()))
        broken = Block.objects.filter(state=Block.State.BROKEN).count()
        print(f"all of it is right: {took:.0f} s, {crew.killed} processes killed, {broken} blocks broken off")


if __name__ == "__main__":
    main()
