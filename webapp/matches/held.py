"""A record as something that caches look up by its name only: a record never changes."""

from __future__ import annotations

from typing import NamedTuple

from arena.record import Record


class Held(NamedTuple):
    """A record, equal to every other of its name."""

    name: str
    record: Record

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)
