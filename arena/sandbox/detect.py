"""What of the sandbox works on this machine: found out by trying to break out of it."""

from __future__ import annotations

import asyncio
import compileall
import contextlib
import json
import os
import platform
import secrets
import socket
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from arena.referee import PlatformFailure
from arena.sandbox import cgroups, landlock, seccomp
from arena.sandbox.cell import Cell
from arena.sandbox.outer import outer
from arena.sandbox.places import SOCKET, places
from arena.sandbox.walls import ALL, Walls

PROBE_SECONDS = 10.0
"""How long the attempts to break out may take."""


class Layer(NamedTuple):
    """One of the walls."""

    name: str
    stands: bool
    advice: str
    """What to do so that it stands; empty where it does."""


class Report(NamedTuple):
    """What works here."""

    layers: tuple[Layer, ...]
    broken: tuple[str, ...]
    """The attempts to break out that succeeded; see `arena.sandbox.probe`."""
    failure: str
    """Why the walls could not be tried at all; else empty."""

    @property
    def strong(self) -> bool:
        """Whether strangers' programs may be run here."""
        return not self.failure and not self.broken and not self._missing

    @property
    def why(self) -> str:
        """What keeps it from being strong, for people, with what to do about it; empty where it is."""
        if self.strong:
            return ""
        missing = [layer.advice or f"{layer.name} was left out" for layer in self._missing]
        if self.failure:
            missing.append(self.failure)
        elif not missing:
            missing = [f"a trial bot broke out ({', '.join(self.broken)})"]
        return "; ".join(missing)

    @property
    def _missing(self) -> list[Layer]:
        return [layer for layer in self.layers if layer.name in NEEDED and not layer.stands]


NEEDED = ("bubblewrap", "seccomp")
"""Those without which nothing of a stranger is run. The others are second walls, or share the machine better."""


@cache
def detect(walls: Walls = ALL) -> Report:
    """Try to break out, once a process; takes about a tenth of a second. Not to be called inside an event loop."""
    _compile()
    failure, results = "", dict[str, bool]()
    try:
        results = asyncio.run(_probe(walls))
    except (PlatformFailure, OSError, ValueError) as error:
        failure = f"a trial bot could not be run ({error})"
    broken = tuple(name for name, succeeded in results.items() if succeeded != (name == "own"))
    return Report(tuple(_layers(walls)), broken, failure)


def _layers(walls: Walls) -> Iterator[Layer]:
    wall = outer()
    yield _layer("bubblewrap", walls.outer and bool(wall.bwrap), wall.why)
    yield _layer(
        "seccomp", walls.seccomp and seccomp.supported(), f"uploads are not supported on {platform.machine()} machines"
    )
    yield _layer(
        "landlock", walls.landlock and landlock.version() > 0, "a kernel from 5.13 on, started with lsm=landlock,…"
    )
    limited = cgroups.controllers() if walls.cgroup else ()
    missing = [name for name in ("memory", "pids", "cpu") if name not in limited]
    yield _layer(
        "cgroup",
        not missing,
        f"no cgroup for {', '.join(missing)} can be made: run the workers as root, or as a service with Delegate=yes",
    )


def _layer(name: str, stands: bool, advice: str) -> Layer:
    return Layer(name, stands, "" if stands else advice)


async def _probe(walls: Walls) -> dict[str, bool]:
    with tempfile.TemporaryDirectory(prefix="arena-") as name, contextlib.ExitStack() as listening:
        folder, canary = _bait(Path(name))
        own, other, abstract = f"{name}/own", f"{name}/other", secrets.token_hex(8)
        port = listening.enter_context(_listening(socket.AF_INET, ("127.0.0.1", 0))).getsockname()[1]
        for address in (own, other, f"\0{abstract}"):
            listening.enter_context(_listening(socket.AF_UNIX, address))
        cell = Cell(folder, own, walls)
        try:
            await cell.open()
            order = {"port": port, "canary": canary, "socket": other, "abstract": abstract}
            order["own"] = SOCKET if cell.walls.outer else own
            ended = await cell.run(order, kind="probe")
            await asyncio.wait({ended}, timeout=PROBE_SECONDS)
            said = await cell.stop()
        finally:
            await cell.close()
    found: Any = next((json.loads(line) for line in said.splitlines() if line.startswith("{")), None)
    if not isinstance(found, dict):
        raise PlatformFailure(said.strip()[-300:] or "it said nothing")
    return found


def _bait(folder: Path) -> tuple[Path, str]:
    """An empty folder for the trial bot, and beside it a file that it must not be able to read."""
    canary = folder / "canary"
    canary.write_text("secret")
    own = folder / "bot"
    own.mkdir()
    return own, str(canary)


def _listening(family: int, address: Any) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.bind(address)
    listener.listen()
    return listener


def _compile() -> None:
    """Compile what bots will import: they see it read-only, and would compile it anew in every series."""
    for package in places().packages:
        if os.access(package, os.W_OK):
            if os.path.isdir(package):  # noqa: PTH112
                compileall.compile_dir(package, quiet=2, maxlevels=10)
            else:
                compileall.compile_file(package, quiet=2)
