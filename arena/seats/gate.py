"""Who may open a stream at all: streams and attempts are counted before anybody has said who he is.

A stream is *silent* until its Hello has come. When all places are taken, a silent one makes room for the next: the
oldest one of the address that has most of them. So whoever floods a door with silence pushes out only himself, also
one who has addresses without number, as long as a Hello comes sooner than all the places are filled anew.
"""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import unquote

MOST_REMEMBERED = 20_000
"""Addresses, or tokens, whose attempts are counted; the one that was quiet longest is forgotten first."""

PUSHED = "the door is full, and this stream had said nothing yet; dial again in a moment"
"""What a silent stream hears that has to make room."""


class GateLimits(NamedTuple):
    """How many may come, and how often. 0 is no limit."""

    streams: int = 4_000
    """Streams at a time, health checks and reflection among them."""
    address_streams: int = 256
    """The same from one address."""
    address_attempts: int = 3_000
    """Streams opened within a minute from one address."""
    address_failures: int = 60
    """Streams within a minute from one address that said no Hello, or were refused."""
    token_attempts: int = 1_200
    """Hellos within a minute with one token."""


class Full(Exception):
    """A stream is turned away. The message says what to do."""


Push = Callable[[str], None]
"""Ends a silent stream for the reason given."""


class Gate:
    """Counts the streams of one server. Its `Pass` goes with a stream from its beginning to its end.

    Args:
        limits: how many may come.
        clock: seconds of a monotonic clock.
    """

    def __init__(self, limits: GateLimits | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits or GateLimits()
        self.streams = 0
        self._addresses: dict[str, _Address] = {}
        """Those with a stream now."""
        self._attempts = _Meter(self.limits.address_attempts, clock)
        self._failures = _Meter(self.limits.address_failures, clock)
        self._tokens = _Meter(self.limits.token_attempts, clock)

    def enter(self, peer: str, push: Push) -> Pass:
        """Let a stream in, as a silent one.

        Args:
            peer: where it comes from, as gRPC says it.
            push: ends it when another one needs its place.

        Raises:
            Full: there is no place for it, or its address has dialled too often.
        """
        address = address_of(peer)
        if address and self._failures.spent(address):
            raise Full(
                f"{address} was refused {self.limits.address_failures} times within a minute; "
                "see to what the earlier refusals said, and dial again in a minute"
            )
        if address and not self._attempts.take(address):
            raise Full(
                f"{address} has dialled {self.limits.address_attempts} times within a minute; dial again in a moment"
            )
        found = self._addresses.get(address)
        most = self.limits.address_streams
        if address and most and found is not None and found.streams >= most:
            # its own silence makes room, so that what a program left hanging does not keep the next one out
            if not found.silent:
                raise Full(f"{address} has {most} streams open, as many as it may; close one first")
            found.push_oldest()
        elif self.limits.streams and self.streams >= self.limits.streams:
            self._make_room()
        return Pass(self, address, push)

    def _make_room(self) -> None:
        quiet = [address for address in self._addresses.values() if address.silent]
        if not quiet:
            raise Full("this door is full; dial again in a moment")
        max(quiet, key=lambda address: len(address.silent)).push_oldest()

    def _count(self, entered: Pass, push: Push) -> None:
        self.streams += 1
        address = self._addresses.setdefault(entered.address, _Address())
        address.streams += 1
        address.silent[entered] = push

    def _speak(self, entered: Pass) -> None:
        self._addresses[entered.address].silent.pop(entered, None)

    def _fail(self, entered: Pass) -> None:
        if entered.address:
            self._failures.take(entered.address)

    def _leave(self, entered: Pass) -> None:
        self.streams -= 1
        address = self._addresses[entered.address]
        address.streams -= 1
        address.silent.pop(entered, None)
        if not address.streams:
            del self._addresses[entered.address]

    def _check_token(self, token: str) -> None:
        if not self._tokens.take(token):
            raise Full(
                f"this token has dialled {self.limits.token_attempts} times within a minute; dial again in a moment"
            )


class Pass:
    """The place that one stream takes."""

    def __init__(self, gate: Gate, address: str, push: Push) -> None:
        """Use `Gate.enter`."""
        self.address = address
        """Empty where streams are not told apart by it."""
        self._gate = gate
        self._failing = True
        self._left = False
        gate._count(self, push)

    def spoke(self, token: str) -> None:
        """Its Hello has come: it does not make room for others any more.

        Raises:
            Full: it had made room already, or too many came with this token.
        """
        if self._left:
            raise Full(PUSHED)
        self._failing = False
        self._gate._speak(self)
        self._gate._check_token(token)

    def expect_nothing(self) -> None:
        """It has nothing to say: it makes room for others as long as it is there, and does not fail."""
        self._failing = False

    def fail(self) -> None:
        """It was turned away for something that its side has to change."""
        self._failing = True

    def leave(self) -> None:
        """It has ended. One that failed, or never spoke, counts as a failure."""
        if self._left:
            return
        self._left = True
        self._gate._leave(self)
        if self._failing:
            self._gate._fail(self)


class _Address:
    """What one address has open."""

    def __init__(self) -> None:
        self.streams = 0
        self.silent: dict[Pass, Push] = {}
        """In the order in which they came."""

    def push_oldest(self) -> None:
        oldest = next(iter(self.silent))
        push = self.silent.pop(oldest)
        oldest.leave()  # its place is free at once, however long its end may take
        push(PUSHED)


class _Meter:
    """So many a minute for each name, all of them at once if need be (a leaking bucket)."""

    def __init__(self, a_minute: int, clock: Callable[[], float]) -> None:
        self._most = a_minute
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """By name, the one that took last at the end: how full its bucket was, and when."""

    def take(self, name: str) -> bool:
        """Count one, if that is not too many."""
        if not self._most:
            return True
        level = self._level(name)
        allowed = level + 1 <= self._most
        self._levels[name] = (level + 1 if allowed else level, self._clock())
        self._levels.move_to_end(name)
        if len(self._levels) > MOST_REMEMBERED:
            self._levels.popitem(last=False)
        return allowed

    def spent(self, name: str) -> bool:
        """Whether the next one would be too many."""
        return bool(self._most) and self._level(name) + 1 > self._most

    def _level(self, name: str) -> float:
        level, when = self._levels.get(name, (0.0, 0.0))
        return max(0.0, level - (self._clock() - when) * self._most / 60)


def address_of(peer: str) -> str:
    """Whom to count a stream against: an IPv4 address, or the /64 that an IPv6 address is in; else empty.

    Whoever has one address of IPv6 has as a rule all of its /64, and could come from another one each time.

    Args:
        peer: ``ipv4:192.0.2.1:50000``, ``ipv6:%5B2001:db8::1%5D:50000`` or ``unix:``.
    """
    kind, _, rest = peer.partition(":")
    if kind not in ("ipv4", "ipv6"):
        return ""
    host = unquote(rest).rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return str(ipaddress.IPv6Network((address, 64), strict=False))
        address = address.ipv4_mapped
    return str(address)
