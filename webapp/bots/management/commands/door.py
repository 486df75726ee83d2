"""``python -m webapp door``: the process that remote bots dial."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import signal
import socket
from pathlib import Path
from typing import Any

import grpc
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from arena.door import Addresses, Door
from arena.seats.gate import GateLimits
from webapp.bots.presence import DatabaseRegistry

OWN_FILES = 200
"""Open files that the door needs for itself and the workers, whatever comes from outside."""


class Command(BaseCommand):
    """Runs a door until it is told to end."""

    help = "Let remote bots in (gRPC). Any number of doors can stand side by side."

    def handle(self, *args: Any, **options: Any) -> None:
        """Until SIGTERM or SIGINT."""
        if settings.ARENA_DOOR_RELAY.startswith("unix:"):
            _clear(Path(settings.ARENA_DOOR_RELAY.removeprefix("unix:")))
        try:
            asyncio.run(_serve(self))
        except OSError as error:
            raise CommandError(str(error)) from error


def _clear(relay: Path) -> None:
    """Remove the socket that a killed door has left behind; one that is answered belongs to another door."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
        probe.connect(str(relay))
        raise CommandError(f"Another door answers workers at {relay} already; each has its own ARENA_DOOR_RELAY.")
    relay.unlink(missing_ok=True)


async def _serve(command: Command) -> None:
    relay = settings.ARENA_DOOR_RELAY
    addresses = Addresses(settings.ARENA_DOOR_LISTEN, relay, settings.ARENA_DOOR_RELAY_TARGET or relay)
    limits = GateLimits(
        streams=settings.ARENA_DOOR_STREAMS,
        address_streams=settings.ARENA_DOOR_ADDRESS_STREAMS,
        address_attempts=settings.ARENA_DOOR_ADDRESS_ATTEMPTS,
        address_failures=settings.ARENA_DOOR_ADDRESS_FAILURES,
        token_attempts=settings.ARENA_DOOR_TOKEN_ATTEMPTS,
    )
    door = Door(DatabaseRegistry(), addresses, settings.ARENA_SECRET, _credentials(), limits, _connections())
    ending = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ending.set)
    await door.open()
    command.stdout.write(f"the door is open on {settings.ARENA_DOOR_LISTEN}")
    keeping = asyncio.ensure_future(door.keep())
    await ending.wait()
    keeping.cancel()
    await door.close()


def _connections() -> int:
    """How many connections may come from outside: half of all files that this process may open, after asking for more.

    Each line that plays takes one for its bot and one for its worker. Without a bound, whoever opens connections by the
    thousand would leave none for the database.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY or most > 65_536:
        most = 65_536
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    return max(1, (most - OWN_FILES) // 2)


def _credentials() -> grpc.ServerCredentials | None:
    certificate, key = settings.ARENA_DOOR_CERTIFICATE, settings.ARENA_DOOR_KEY
    if not certificate and not key:
        return None
    if not certificate or not key:
        raise CommandError("TLS needs both ARENA_DOOR_CERTIFICATE and ARENA_DOOR_KEY; only one of them is set.")
    try:
        return grpc.ssl_server_credentials([(Path(key).read_bytes(), Path(certificate).read_bytes())])
    except OSError as error:
        raise CommandError(f"The door's certificate or key cannot be read: {error}") from error
