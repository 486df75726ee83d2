"""What the pages around a replay need beside it: its addresses, for people and for scripts."""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.urls import reverse

from arena.record import Record
from arena.table import Limits
from webapp.matches import chunks, replay
from webapp.matches.replay import Replay, Steps


class Share(NamedTuple):
    """What one may hand on."""

    step: str
    """The address of the step that is shown."""
    spoiler_free: str
    """The address of the match for somebody who shall not be told how it ended."""
    embed: str
    """The address of the step within another page; empty where nobody else may see it."""
    title: str

    @property
    def code(self) -> str:
        """What another page takes up."""
        return (
            f'<iframe src="{self.embed}" width="720" height="640" loading="lazy" allowfullscreen '
            f'title="Bluff Arena"></iframe>'
        )


def steps_of(where: str, name: str, *, blind: bool = False) -> Steps:
    """The addresses of the steps of a match; ``where`` names the page that shows them."""
    return Steps(reverse(where, args=[name, 0]).removesuffix("0/"), "/?as=", "&spoiler=0" if blind else "")


def of_match(*, shown: Replay, name: str, blind: bool = False, embedded: bool = False) -> dict[str, object]:
    """What the templates of a match's replay are given."""
    base = settings.ARENA_BASE_URL
    steps, within = (steps_of(where, name, blind=blind) for where in ("match_step", "embed_step"))
    after = "?spoiler=0" if blind else ""
    return {
        "replay": shown,
        "blind": blind,
        "steps": within if embedded else steps,
        "frames": chunks.address("match_frames", name) + after,
        "frames_size": chunks.SIZE,
        "share": Share(
            step=f"{base}{steps.at(shown.step, shown.viewer)}",
            spoiler_free=f"{base}{reverse('match', args=[name])}?spoiler=0",
            embed=f"{base}{within.at(shown.step, shown.viewer)}",
            title=shown.title,
        ),
    }


def frames_of(*, record: Record, name: str, key: str, ahead: bool, limits: Limits | None = None) -> chunks.Source:
    """Where the chunks of a record come from."""

    def step(number: int) -> Replay:
        return replay.replay(record=record, name=name, key=key, step=number, ahead=ahead, limits=limits)

    return chunks.Source((name, key, ahead), step)
