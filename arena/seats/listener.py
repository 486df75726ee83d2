"""Where programs that we started ourselves dial in: each comes with the ticket that it was given."""

from __future__ import annotations

import asyncio
import secrets
from types import TracebackType

import grpc

from arena import __version__
from arena.protocol.v1 import arena_pb2 as pb
from arena.seats.stream import SERVER_OPTIONS, Refused, StreamLine, play_handler
from arena.table import Player

OPTIONS = tuple(option for option in SERVER_OPTIONS if "keepalive" not in option[0])
"""No pings: a process that has ended is noticed at once here, and one that is frozen cannot answer any."""

STOP_SECONDS = 0.5
"""How long streams may take to end in order when the listener ends."""


class Listener:
    """A gRPC server for the programs of one series, as an async context manager.

    Args:
        address: what to listen on: ``unix:/path`` or ``127.0.0.1:0`` (then `target` has the real port).
    """

    def __init__(self, address: str) -> None:
        self.target = address
        self._address = address
        self._expected: dict[str, tuple[Player, asyncio.Future[StreamLine]]] = {}
        self._lines: set[StreamLine] = set()
        self._server = grpc.aio.server(options=OPTIONS)
        self._server.add_generic_rpc_handlers((play_handler(self._receive),))

    async def __aenter__(self) -> Listener:
        port = self._server.add_insecure_port(self._address)
        if not self._address.startswith("unix:"):
            self.target = f"{self._address.rpartition(':')[0]}:{port}"
        await self._server.start()
        return self

    async def __aexit__(
        self, _type: type[BaseException] | None, _value: BaseException | None, _trace: TracebackType | None
    ) -> None:
        for line in self._lines:
            line.close()
        await self._server.stop(grace=STOP_SECONDS)

    def expect(self, player: Player) -> tuple[str, asyncio.Future[StreamLine]]:
        """A fresh ticket for a program, and the line on which it will be once it has dialled in."""
        ticket = secrets.token_urlsafe(24)
        line: asyncio.Future[StreamLine] = asyncio.get_running_loop().create_future()
        self._expected[ticket] = (player, line)
        # a ticket for which nobody waits any more is worth nothing
        line.add_done_callback(lambda _: self._expected.pop(ticket, None))
        return ticket, line

    async def _receive(self, hello: pb.Hello, line: StreamLine) -> None:
        if hello.token not in self._expected:
            raise Refused(pb.ERROR_CODE_UNAUTHENTICATED, "this ticket is unknown, or was used before")
        player, arrived = self._expected.pop(hello.token)
        if arrived.done():
            raise Refused(pb.ERROR_CODE_UNAVAILABLE, "nobody waits for this program any more")
        arrived.set_result(line)
        # nothing waits in the outbox yet, so that this is the first thing sent, whoever is woken now
        welcome = pb.Welcome(bot=player.bot, version=player.version or "", arena=__version__)
        await line.send(pb.PlayResponse(welcome=welcome).SerializeToString())
        self._lines.add(line)
        try:
            await line.until_over()
        finally:
            self._lines.discard(line)
