"""What the workers can host: whether strangers' bots may be run at all, and in which runtime.

Each worker tries its own sandbox (`arena.sandbox.detect`) when it starts, and says here, every now and then, that it is
there and what came of it. A worker without a strong sandbox plays the house's bots and remote ones, never an upload.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import NamedTuple

from django.db.models.functions import Now
from django.utils.translation import gettext as _

from arena import runtime
from arena.sandbox.detect import Report, detect
from webapp.bots.models import Bot, Version
from webapp.matches.models import Worker

ANNOUNCE_SECONDS = 20.0
"""How often a worker says that it is there."""

ALIVE = timedelta(seconds=90)
"""A worker that has not said so for so long does not count any more."""

FORGOTTEN = timedelta(days=1)
"""When its row goes."""


class Hosting(NamedTuple):
    """What the workers that are alive can host."""

    strong: bool
    """Uploads are open: at least one worker may run them."""
    why: str
    """Why not, for people; empty where they are open."""
    layers: dict[str, bool]
    """The walls of the best worker: which of them stand."""
    runtime: str
    """Where uploaded bots run, by its short name; empty where they do not."""
    workers: tuple[Worker, ...]
    """All that are alive."""


def hosting() -> Hosting:
    """What the site knows about its workers now. One query."""
    alive = tuple(Worker.objects.filter(last_seen__gt=Now() - ALIVE).order_by("-strong", "name"))
    if not alive:
        return Hosting(False, _("No worker is running."), {}, "", ())
    best = alive[0]
    return Hosting(best.strong, best.why, best.layers, best.runtime if best.strong else "", alive)


def report() -> Report:
    """What works on this machine, found out once a process. Not to be called inside an event loop."""
    return detect()


def announce(*, name: str) -> None:
    """Say that the worker of this name is there, and what it can host."""
    found = report()  # takes a moment the first time
    Worker.objects.update_or_create(
        name=name[:80],
        defaults={
            "runtime": runtime.name(),
            "strong": found.strong,
            "why": found.why[:500],
            "layers": {layer.name: layer.stands for layer in found.layers},
            "advice": "; ".join(f"{layer.name}: {layer.advice}" for layer in found.layers if layer.advice)[:500],
            "last_seen": Now(),
        },
    )
    Worker.objects.filter(last_seen__lt=Now() - FORGOTTEN).delete()


def leave(*, name: str) -> None:
    """The worker of this name ends."""
    Worker.objects.filter(name=name[:80]).delete()


def strangers(versions: Iterable[Version]) -> tuple[str, ...]:
    """The names of the uploaded bots among these: those that only a strong sandbox may run."""
    bots = (version.bot for version in versions)
    return tuple(bot.name for bot in bots if bot.kind == Bot.Kind.HOSTED and not bot.house)
