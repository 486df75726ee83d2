"""What a game has to bring along to be spoken on the wire."""

from __future__ import annotations

from typing import Any, Protocol

from arena.protocol.v1 import arena_pb2 as pb
from arena.rules import Event, Ruleset


class WireError(ValueError):
    """A message that means nothing here. The text is written for the author of the program that sent it."""


class Codec(Protocol):
    """The messages of one game, both ways.

    A message that is handed out may be shared: put it into another one, which copies it, but never change it.
    """

    def move_to_proto(self, move: Any) -> pb.Move:
        """The message of ``move``."""

    def move_from_proto(self, message: pb.Move) -> Any:
        """The move that ``message`` holds.

        Raises:
            WireError: it holds none, or one that is not known here.
        """

    def view_to_proto(self, view: Any) -> pb.View:
        """The message of ``view``: what its own viewer may know, whatever else it holds."""

    def view_from_proto(self, message: pb.View, *, seat: int, rules: Ruleset, legal: tuple[Any, ...]) -> Any:
        """The very view that the rules made for ``seat``, under these ``rules`` and with these ``legal`` moves.

        Raises:
            WireError: something in it is missing or unknown.
        """

    def event_to_proto(self, event: Any) -> pb.Event:
        """The message of ``event``."""

    def event_from_proto(self, message: pb.Event) -> Event:
        """The event that ``message`` holds.

        Raises:
            WireError: it holds none, or one that is not known here.
        """
