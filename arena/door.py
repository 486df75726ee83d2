"""The door: where remote bots dial in, wait for a table, and are connected through to the worker that plays.

A door knows who is there and carries messages; it knows no rules and reads nothing but the Hello. Any number of
doors can stand side by side: a worker finds the one that holds a line by the address in the `Registry`.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import secrets
from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple, Protocol

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from arena import __version__
from arena.protocol.v1 import arena_pb2 as pb
from arena.seats.line import LineLost
from arena.seats.relay import BOT_LOST, LINE_KEY, METHOD, SECRET_KEY
from arena.seats.stream import SERVER_OPTIONS, SERVICE, StreamLine, play_handler

log = logging.getLogger(__name__)

RENEW_SECONDS = 2.0
"""How often a door says that its lines still stand."""

MOST_STREAMS = 4_000
"""Streams that one door holds at a time, those included that have not yet said Hello."""


class Arrival(NamedTuple):
    """A bot that may stay."""

    bot: str
    version: str
    session: str
    """The secret with which it can take its seat back."""


class Registry(Protocol):
    """Who may come in, and who is there: what the door needs of the rest of the house."""

    async def arrive(self, hello: pb.Hello, *, door: str, line: str) -> Arrival:
        """Let a bot in, anew or back to the seat that ``hello.resume`` names.

        Raises:
            Refused: it may not stay; says why.
        """

    async def leave(self, line: str) -> None:
        """This line has ended."""

    async def renew(self, lines: Sequence[str]) -> Sequence[str]:
        """These lines still stand. Returns those of them that shall not: revoked, retired, or taken over."""


class Addresses(NamedTuple):
    """Where a door listens."""

    public: str
    """For bots: ``host:port``; port 0 lets the system choose."""
    relay: str
    """For workers: ``host:port`` or ``unix:/path``."""
    relay_target: str
    """How workers reach ``relay``; stands in the registry."""


class Door:
    """One door process.

    Args:
        registry: who may come in.
        addresses: where to listen.
        secret: what workers and doors share.
        credentials: for TLS on the public address; None for none.
    """

    def __init__(
        self, registry: Registry, addresses: Addresses, secret: str, credentials: grpc.ServerCredentials | None = None
    ) -> None:
        self._registry = registry
        self._addresses = addresses
        self._secret = secret
        self._credentials = credentials
        self._lines: dict[str, StreamLine] = {}
        self._public = grpc.aio.server(options=SERVER_OPTIONS, maximum_concurrent_rpcs=MOST_STREAMS)
        self._relay = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
        self._health = health.aio.HealthServicer()
        self.port = 0
        """The public port, once open."""

    async def open(self) -> None:
        """Begin to listen.

        Raises:
            OSError: an address cannot be had.
        """
        public, relay = self._public, self._relay
        public.add_generic_rpc_handlers((play_handler(self._receive),))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, public)
        reflection.enable_server_reflection((SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), public)
        relay.add_generic_rpc_handlers((self._sit_handler(),))
        try:
            if self._credentials is None:
                self.port = public.add_insecure_port(self._addresses.public)
            else:
                self.port = public.add_secure_port(self._addresses.public, self._credentials)
            relay.add_insecure_port(self._addresses.relay)
        except RuntimeError as error:
            raise OSError(f"the door cannot listen on {self._addresses.public}: {error}") from error
        await relay.start()
        await public.start()
        for service in ("", SERVICE):
            await self._health.set(service, health_pb2.HealthCheckResponse.SERVING)

    async def keep(self) -> None:
        """Renew the lines' leases until cancelled."""
        while True:
            try:
                for line in await self._registry.renew(tuple(self._lines)):
                    if line in self._lines:
                        self._lines[line].close()
            except Exception:
                # the database may be away for a moment; lines whose leases run out come back by themselves
                log.exception("the lines' leases could not be renewed")
            await asyncio.sleep(RENEW_SECONDS)

    async def close(self) -> None:
        """Tell everybody to dial again later, and stop listening."""
        await self._health.enter_graceful_shutdown()
        for line in list(self._lines.values()):
            await _turn_away(line, pb.ERROR_CODE_UNAVAILABLE, "this door is closing; dial again in a moment")
        await self._public.stop(grace=1.0)
        await self._relay.stop(grace=None)

    # ---- bots ----------------------------------------------------------------------------------

    async def _receive(self, hello: pb.Hello, line: StreamLine) -> None:
        name = secrets.token_hex(16)
        arrival = await self._registry.arrive(hello, door=self._addresses.relay_target, line=name)
        # from here on the registry names this line: it must be left again whatever happens
        self._lines[name] = line
        try:
            welcome = pb.Welcome(bot=arrival.bot, version=arrival.version, session=arrival.session, arena=__version__)
            await line.send(pb.PlayResponse(welcome=welcome).SerializeToString())
            await line.until_over()
        finally:
            del self._lines[name]
            await asyncio.shield(self._registry.leave(name))

    # ---- workers -------------------------------------------------------------------------------

    def _sit_handler(self) -> grpc.GenericRpcHandler:
        service, method = METHOD.strip("/").split("/")
        handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._sit)
        return grpc.method_handlers_generic_handler(service, {method: handler})

    async def _sit(self, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """Carry messages between a worker and a bot until one of them ends."""
        metadata = {key: str(value) for key, value in context.invocation_metadata() or ()}
        if not hmac.compare_digest(metadata.get(SECRET_KEY, "").encode(), self._secret.encode()):
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, "this address is for the arena's own workers")
        line = self._lines.get(metadata.get(LINE_KEY, ""))
        if line is None:
            await context.abort(BOT_LOST, "its line is not there any more")
        assert line is not None
        to_worker = asyncio.ensure_future(_carry_up(line, context))
        to_bot = asyncio.ensure_future(_carry_down(requests, line))
        try:
            await asyncio.wait({to_worker, to_bot}, return_when=asyncio.FIRST_COMPLETED)
            if to_worker.done() and (lost := to_worker.result()) is not None:
                await context.abort(BOT_LOST, str(lost))
            line.close()
        except asyncio.CancelledError:
            # the worker is gone in the middle of it
            await _turn_away(line, pb.ERROR_CODE_UNAVAILABLE, "the arena lost this table; it counts for nobody")
            raise
        finally:
            to_worker.cancel()
            to_bot.cancel()


async def _carry_up(line: StreamLine, context: grpc.aio.ServicerContext[bytes, bytes]) -> LineLost:
    while True:
        try:
            message = await line.receive()
        except LineLost as lost:
            return lost
        await context.write(message)


async def _carry_down(requests: AsyncIterator[bytes], line: StreamLine) -> None:
    async for message in requests:
        try:
            await line.send(message)
        except LineLost:
            # the way up finds that out too, and says so
            await asyncio.Event().wait()


async def _turn_away(line: StreamLine, code: pb.ErrorCode, message: str) -> None:
    error = pb.PlayResponse(error=pb.Error(code=code, message=message))
    with contextlib.suppress(TimeoutError, LineLost):
        await asyncio.wait_for(line.send(error.SerializeToString()), 1.0)
    line.close()
