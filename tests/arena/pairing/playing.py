"""Tournaments that are played by made-up results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

from arena.pairing import Entrant, Finished, Format, Played, Result, Round, Table

Play = Callable[[Table], Result]


def entrants(count: int) -> list[Entrant]:
    """1 … count, seeded in this order."""
    return [Entrant(number, number) for number in range(1, count + 1)]


def best_first(table: Table) -> Result:
    """The favourite always wins."""
    return Result(table, (tuple(1 + sum(other < own for other in table.seats) for own in table.seats),))


def dice(random: Random, *, matches: int = 2, absent: float = 0.0) -> Play:
    """Anything can happen, ties and no-shows too."""

    def play(table: Table) -> Result:
        missing = {entrant for entrant in table.seats if random.random() < absent}
        places = [
            tuple(None if entrant in missing else random.randint(1, len(table.seats)) for entrant in table.seats)
            for _ in range(matches)
        ]
        return Result(table, tuple(places))

    return play


def all_level(table: Table) -> Result:
    """Nobody ever wins."""
    return Result(table, ((1,) * len(table.seats),))


def play_round(made: Round, play: Play) -> Played:
    return Played(tuple(play(table) for table in made.tables), made.byes)


def rounds(
    form: Format,
    field: Sequence[Entrant],
    play: Play,
    seed: str = "seed",
    *,
    between: Callable[[int, list[Entrant]], list[Entrant]] | None = None,
) -> Iterator[tuple[Round | Finished, list[Entrant], list[Played]]]:
    """What comes, one after the other, with the entrants and the rounds before it; the last one is `Finished`.

    ``between`` is given the number of the coming round and the entrants, and may change them.
    """
    played: list[Played] = []
    now = list(field)
    for number in range(1, 2000):
        if between is not None:
            now = between(number, now)
        made = form.next_round(now, played, seed)
        yield made, now, list(played)
        if isinstance(made, Finished):
            return
        played.append(play_round(made, play))
    raise AssertionError("this tournament does not end")


def finish(form: Format, count: int, play: Play, seed: str = "seed") -> tuple[list[Round], Finished]:
    """All rounds, and how it ended."""
    made = [one for one, _, _ in rounds(form, entrants(count), play, seed)]
    end = made.pop()
    assert isinstance(end, Finished)
    assert all(isinstance(one, Round) for one in made)
    return made, end  # type: ignore[return-value]
