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
from collections.abc import AsyncIterator, Mapping
from typing import Any, NamedTuple, Protocol

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from arena import __version__
from arena.protocol.v1 import arena_pb2 as pb
from arena.seats.gate import Gate, GateLimits
from arena.seats.guard import Guard
from arena.seats.line import LineLost
from arena.seats.relay import BOT_LOST, GOODBYE, LINE_KEY, METHOD, OPTIONS, SECRET_KEY
from arena.seats.stream import SERVER_OPTIONS, SERVICE, Refused, StreamLine, play_handler

log = logging.getLogger(__name__)

RENEW_SECONDS = 2.0
"""How often a door says that its lines still stand."""

STRANGERS: tuple[tuple[str, Any], ...] = (
    # a connection that says nothing, or nothing whole, is closed; so is one on which no stream is open
    ("grpc.server_handshake_timeout_ms", 10_000),
    ("grpc.max_connection_idle_ms", 30_000),
    ("grpc.http2.max_ping_strikes", 2),
    ("grpc.absolute_max_metadata_size", 8 * 1024),
)
"""What a server needs to know whose clients may be anybody."""

BEYOND = 1_000
"""Streams above the gate's own limit that may be in the course of being turned away."""


class Arrival(NamedTuple):
    """A bot that may stay."""

    bot: str
    version: str
    session: str
    """The secret with which it can take its seat back."""
    notice: str = ""
    """What its author may want to know about how long it will wait."""


class Registry(Protocol):
    """Who may come in, and who is there: what the door needs of the rest of the house."""

    async def arrive(self, hello: pb.Hello, *, door: str, line: str) -> Arrival:
        """Let a bot in, anew or back to the seat that ``hello.resume`` names.

        Raises:
            Refused: it may not stay; says why.
        """

    async def leave(self, line: str) -> None:
        """This line has ended."""

    async def renew(self, lines: Mapping[str, str]) -> Mapping[str, Refused]:
        """These lines, each with its session, still stand. Returns those that shall not, and why."""


class Addresses(NamedTuple):
    """Where a door listens."""

    public: str
    """For bots: ``host:port``; port 0 lets the system choose."""
    relay: str
    """For workers: ``host:port`` or ``unix:/path``."""
    relay_target: str
    """How workers reach ``relay``; stands in the registry."""


class _Held:
    """A line that this door holds, from before the registry hears of it until after it has forgotten it."""

    def __init__(self, line: StreamLine) -> None:
        self.line = line
        self.session = ""
        self.welcome = asyncio.Event()
        """Set once the bot may stay and was told so."""
        self.taken = False
        """A worker sits at it."""


class Door:
    """One door process.

    Args:
        registry: who may come in.
        addresses: where to listen.
        secret: what workers and doors share.
        credentials: for TLS on the public address; None for none.
        limits: how many may come, and how often.
        connections: the most connections from outside at a time; 0 for any number.
    """

    def __init__(
        self,
        registry: Registry,
        addresses: Addresses,
        secret: str,
        credentials: grpc.ServerCredentials | None = None,
        limits: GateLimits | None = None,
        connections: int = 0,
    ) -> None:
        if not secret:
            raise ValueError("a door without a secret would let everybody sit at its tables")
        self._registry = registry
        self._addresses = addresses
        self._secret = secret
        self._credentials = credentials
        self._lines: dict[str, _Held] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._closing = False
        self._gate = Gate(limits)
        most = (("grpc.max_allowed_incoming_connections", connections),) if connections else ()
        self._public = grpc.aio.server(
            options=(*SERVER_OPTIONS, *STRANGERS, *most),
            interceptors=(Guard(self._gate, f"/{SERVICE}/Play"),),
            maximum_concurrent_rpcs=self._gate.limits.streams + BEYOND if self._gate.limits.streams else None,
        )
        self._relay = grpc.aio.server(options=OPTIONS)
        self._health = health.aio.HealthServicer()
        self.port = 0
        """The public port, once open."""

    async def open(self) -> None:
        """Begin to listen.

        Raises:
            OSError: an address cannot be had.
        """
        public, relay = self._public, self._relay
        public.add_generic_rpc_handlers((play_handler(self._receive, self._gate),))
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
                standing = {name: held.session for name, held in self._lines.items() if held.welcome.is_set()}
                unwanted = await self._registry.renew(standing)
                ends = [
                    _turn_away(self._lines[name].line, why.code, str(why))
                    for name, why in unwanted.items()
                    if name in self._lines
                ]
                await asyncio.gather(*ends)
            except Exception:
                # the database may be away for a moment; lines whose leases run out come back by themselves
                log.exception("the lines' leases could not be renewed")
            await asyncio.sleep(RENEW_SECONDS)

    async def close(self) -> None:
        """Tell everybody to dial again later, and stop listening."""
        self._closing = True
        await self._health.enter_graceful_shutdown()
        why = "this door is closing; dial again in a moment"
        held = [held.line for held in self._lines.values()]
        await asyncio.gather(*(_turn_away(line, pb.ERROR_CODE_UNAVAILABLE, why) for line in held))
        await asyncio.gather(self._relay.stop(grace=1.0), self._public.stop(grace=1.0))
        await asyncio.gather(*self._leaving, return_exceptions=True)

    # ---- bots ----------------------------------------------------------------------------------

    async def _receive(self, hello: pb.Hello, line: StreamLine) -> None:
        if self._closing:
            raise Refused(pb.ERROR_CODE_UNAVAILABLE, "this door is closing; dial again in a moment")
        name = secrets.token_hex(16)
        # a worker may come for this line as soon as the registry knows it
        held = self._lines[name] = _Held(line)
        # what has begun to arrive is seen through, also when the bot is lost meanwhile: else nobody would leave
        arriving = asyncio.ensure_future(self._registry.arrive(hello, door=self._addresses.relay_target, line=name))
        try:
            arrival = await asyncio.shield(arriving)
            welcome = pb.Welcome(**arrival._asdict(), arena=__version__)
            await line.send(pb.PlayResponse(welcome=welcome).SerializeToString())
            held.session = arrival.session
            held.welcome.set()
            await line.until_over()
        finally:
            del self._lines[name]
            held.welcome.set()  # a worker that waits for it shall hear that the line is lost
            leaving = asyncio.ensure_future(self._leave(name, arriving))
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)
            await asyncio.shield(leaving)

    async def _leave(self, name: str, arriving: asyncio.Future[Arrival]) -> None:
        """Have the registry forget a line; one that was refused it never knew."""
        await asyncio.wait({arriving})
        if isinstance(arriving.exception(), Refused):
            return
        try:
            await self._registry.leave(name)
        except Exception:
            log.exception("a line could not be forgotten; its lease will run out")

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
        held = self._lines.get(metadata.get(LINE_KEY, ""))
        if held is None:
            await context.abort(BOT_LOST, "its line is not there any more")
        assert held is not None
        if held.taken:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "somebody sits at this line already")
        held.taken = True
        await held.welcome.wait()
        line = held.line
        to_worker = asyncio.ensure_future(_carry_up(line, context))
        to_bot = asyncio.ensure_future(_carry_down(requests, line))
        in_order = False
        try:
            await asyncio.wait({to_worker, to_bot}, return_when=asyncio.FIRST_COMPLETED)
            if to_worker.done() and to_worker.exception() is None:
                if self._closing:
                    await context.abort(grpc.StatusCode.UNAVAILABLE, "this door is closing")
                await context.abort(BOT_LOST, str(to_worker.result()))
            in_order = to_bot.done() and to_bot.exception() is None and to_bot.result()
        finally:
            to_worker.cancel()
            to_bot.cancel()
            if in_order:
                line.close()
            else:
                # the worker is gone in the middle of it; where it is the bot that is gone, this reaches nobody
                await _turn_away(line, pb.ERROR_CODE_UNAVAILABLE, "the arena lost this table; it counts for nobody")
            await asyncio.gather(to_worker, to_bot, return_exceptions=True)


async def _carry_up(line: StreamLine, context: grpc.aio.ServicerContext[bytes, bytes]) -> LineLost:
    while True:
        try:
            message = await line.receive()
        except LineLost as lost:
            return lost
        await context.write(message)


async def _carry_down(requests: AsyncIterator[bytes], line: StreamLine) -> bool:
    """Whether the worker has left in order."""
    async for message in requests:
        if message == GOODBYE:
            return True
        try:
            await line.send(message)
        except LineLost:
            # the way up finds that out too, and says so
            await asyncio.Event().wait()
    return False


async def _turn_away(line: StreamLine, code: pb.ErrorCode, message: str) -> None:
    error = pb.PlayResponse(error=pb.Error(code=code, message=message))
    with contextlib.suppress(TimeoutError, LineLost):
        await asyncio.wait_for(line.send(error.SerializeToString()), 1.0)
    line.close()
