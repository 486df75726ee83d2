"""A place for a stranger's program: our end of a process that runs `arena.warm`, with the walls around it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import secrets
import signal
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.lifeline import relations
from arena.referee import PlatformFailure
from arena.sandbox import cgroups
from arena.sandbox.outer import command, outer, own_uids, uid_of
from arena.sandbox.places import BOT, KIT, SOCKET, places
from arena.sandbox.walls import ALL, Walls

WARM_SECONDS = 20.0
"""How long a warm process may take to be ready; it runs only our own code until then."""

EXIT_SECONDS = 0.5
"""How long a bot's process may live on after its match."""

END_SECONDS = 1.0
"""How long our own part of it may take to end a match's processes, or itself, when it is told to."""

OUTPUT_BYTES = 65_536
"""What is kept of what a bot prints in a match; the rest is read, no faster than need be, and thrown away."""

OUTPUT_PAUSE = 0.002
"""Seconds between two looks at the output of a bot that has printed enough."""

EXIT_PAUSE = 0.005
"""Seconds between two looks at a process that is ending."""

# without the collector, which would look again and again through what stays for good: a quarter of the time
_BOOT = "import gc,json,sys as s;gc.disable();s.path+=json.loads(s.argv[1]);from arena.warm import main;main(s.argv[2])"

_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "HOME": "/tmp",  # noqa: S108
    "GRPC_VERBOSITY": "NONE",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",  # address space is limited, and every arena reserves 64 MiB of it
}
"""All that a bot sees of an environment, ours or anybody's."""


class Cell:
    """One warm process, and the match's process that it forks when it is told to.

    Args:
        folder: the bot's files; nothing in it is ever opened by us.
        socket: the path of the one socket that the bot may connect to.
        walls: for tests, which take walls away to show what each is good for.
        imports: the modules that every match will want, imported once.
    """

    def __init__(self, folder: Path, socket: str | None, walls: Walls = ALL, *, imports: Sequence[str] = ()) -> None:
        self._folder = folder
        self._wanted = tuple(imports)
        self._socket = socket
        wall = outer()
        self._bwrap = wall.bwrap
        self.walls = walls._replace(outer=walls.outer and bool(wall.bwrap))
        """Those that stand, as far as this machine has the means for the inner ones."""
        self.bot = BOT if self.walls.outer else str(folder)
        """Where the bot's files are for the bot."""
        self.target = f"unix:{SOCKET if self.walls.outer else socket}"
        """Where the bot dials."""
        self.ended = False
        self._process: asyncio.subprocess.Process | None = None
        self._cgroup: cgroups.Cgroup | None = None
        self._memory_kills = 0
        """How often the kernel had to end something of it because its memory was used up."""
        self._tasks: list[asyncio.Task[None]] = []
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._unlocked = False
        self._exit: asyncio.Future[str] | None = None
        """How the process of the present match ends."""
        self._output = bytearray()
        self._fence = b""
        """Stands behind the last that was printed in a match; random, and told to nobody before."""
        self._fenced: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def open(self) -> None:
        """Start the warm process.

        Raises:
            PlatformFailure: it does not start.
        """
        self._process = await asyncio.create_subprocess_exec(
            *self._command(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=_ENVIRONMENT,
            start_new_session=True,
        )
        self._tasks = [asyncio.ensure_future(self._read_answers()), asyncio.ensure_future(self._read_output())]
        await asyncio.wait({self._ready}, timeout=WARM_SECONDS)
        if not self._ready.done():
            raise PlatformFailure(f"a process for a hosted bot was not ready in {WARM_SECONDS:g} s")
        await self._ready
        self._limit()

    def _command(self) -> list[str]:
        where = places()
        if self.walls.outer:
            path: tuple[str, ...] = (KIT,)
            readable = (*where.library, KIT, BOT, "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share", "/dev")
        else:
            path = where.path
            system = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/dev/null", "/dev/urandom")
            readable = (*where.library, *where.packages, str(self._folder), *system)
        setting = json.dumps([os.getpid(), self.walls, readable, self._imports()])
        python = [where.python, "-I", "-S", "-B", "-u", "-c", _BOOT, json.dumps(path), setting]
        if not self.walls.outer:
            return python
        _open_to_all(self._folder)
        if self._socket is not None:
            os.chmod(self._socket, 0o666)  # noqa: PTH101, S103  # its folder is private; bots come as others
        return command(self._bwrap, python, folder=self._folder, socket=self._socket, env=_ENVIRONMENT)

    def _imports(self) -> tuple[str, ...]:
        """What is worth importing before the fork, because the bot will want it."""
        pattern = re.compile(rb"^[ \t]*(?:import|from)[ \t]+(?:.*,[ \t]*)?numpy\b", re.MULTILINE)
        if "numpy" in {Path(package).name for package in places().packages}:
            for file in self._folder.rglob("*.py"):
                if stat.S_ISREG(file.lstat().st_mode) and pattern.search(file.read_bytes()):
                    return (*self._wanted, "numpy")
        return self._wanted

    def _limit(self) -> None:
        assert self._process is not None
        if not self.walls.cgroup:
            return
        self._cgroup = cgroups.make()
        if self._cgroup is not None:
            self._cgroup.take([self._process.pid, *_children(self._process.pid)])

    async def run(self, order: dict[str, Any], *, kind: str = "play") -> asyncio.Future[str]:
        """Have a match's process forked; gives how it will have ended.

        Raises:
            PlatformFailure: the warm process is gone.
        """
        assert self._process is not None
        self._exit = asyncio.get_running_loop().create_future()
        self._output.clear()
        self._fence = b""
        self._fenced = asyncio.get_running_loop().create_future()
        uid = uid_of(self._process.pid) if self.walls.outer and own_uids() else None
        await self._order({kind: {**order, "uid": uid}})
        return self._exit

    @property
    def unlocked(self) -> bool:
        """Whether a wall could not be put up, so that nothing was run."""
        return self._unlocked

    def freeze(self) -> None:
        """Stop the present match's process where it stands."""
        self._say({"freeze": True})

    def thaw(self) -> None:
        """Let it go on."""
        self._say({"thaw": True})

    async def stop(self) -> str:
        """See that the present match's process has ended, giving it a moment; what was printed."""
        if self._exit is None:
            return ""
        await asyncio.wait({self._exit}, timeout=EXIT_SECONDS)
        with contextlib.suppress(PlatformFailure):
            if not self._exit.done():
                await self._order({"stop": True})
                await asyncio.wait({self._exit}, timeout=END_SECONDS)
            if self._exit.done() and not self.ended:
                self._fence = secrets.token_hex(16).encode()
                await self._order({"fence": self._fence.decode()})
                await asyncio.wait({self._fenced}, timeout=END_SECONDS)
        if self.ended or not self._exit.done():
            # whatever was done to it by the bot: the next match gets another one
            await self.close(seconds=0)
        self._exit = None
        printed = bytes(self._output).partition(self._fence)[0] if self._fence else bytes(self._output)
        return printed[:OUTPUT_BYTES].decode(errors="replace")

    async def close(self, *, seconds: float = END_SECONDS) -> None:
        """End it, and everything that it has started. Seen through to its end also when it is cancelled."""
        self.ended = True
        closing, cancelled = asyncio.ensure_future(self._close(seconds)), False
        while not closing.done():
            try:
                await asyncio.shield(closing)
            except asyncio.CancelledError:
                cancelled = True
        if cancelled:
            raise asyncio.CancelledError

    async def _close(self, seconds: float) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            exiting = asyncio.ensure_future(_exit_code(self._process))
            await asyncio.wait({exiting}, timeout=seconds)
            if not exiting.done():
                self._process.kill()
            # behind the outer wall the end of its first process is the end of all of them
            if await exiting != 0 and not self.walls.outer:
                _end_session(self._process.pid)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=EXIT_SECONDS)  # everything that could write has ended
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._cgroup is not None:
            self._cgroup.remove()

    def _say(self, order: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        if not self.ended:
            self._process.stdin.write(json.dumps(order).encode() + b"\n")

    async def _order(self, order: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._say(order)
            await self._process.stdin.drain()
        except ConnectionError as error:
            raise PlatformFailure("the process for a hosted bot is gone") from error

    async def _read_answers(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            answer = json.loads(line)
            if "ready" in answer:
                self._ready.set_result(None)
            elif "unlocked" in answer:
                self._unlocked = True
            elif self._exit is not None and not self._exit.done():
                self._exit.set_result(self._how(answer["exit"]))
        self.ended = True
        if not self._ready.done():
            told = self._output.decode(errors="replace")[-500:]
            self._ready.set_exception(PlatformFailure(f"a process for a hosted bot did not start: {told}"))
        # only we end a warm process; where it ended otherwise, whoever waits for a match of it must not wait for ever
        if self._exit is not None and not self._exit.done():
            self._exit.set_result(self._how("killed together with its parent"))

    def _how(self, ended: str) -> str:
        kills = self._cgroup.killed_for_memory() if self._cgroup is not None else 0
        if kills > self._memory_kills:
            self._memory_kills = kills
            return f"{ended}: its memory was used up"
        return ended

    async def _read_output(self) -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        most = OUTPUT_BYTES + 32  # the fence
        before = b""
        while chunk := await self._process.stderr.read(65_536):
            self._output += chunk[: most - len(self._output)]
            recent = before + chunk
            if self._fence and self._fence in recent and not self._fenced.done():
                self._fenced.set_result(None)
            before = recent[-32:]
            if len(self._output) >= OUTPUT_BYTES:
                await asyncio.sleep(OUTPUT_PAUSE)


async def _exit_code(process: asyncio.subprocess.Process) -> int:
    """How a process ends. Its ``wait`` would also wait for whatever it has started and holds its output open."""
    while (code := process.returncode) is None:  # noqa: ASYNC110  # asyncio has no event for it
        await asyncio.sleep(EXIT_PAUSE)
    return code


def _children(process: int) -> list[int]:
    with contextlib.suppress(FileNotFoundError):
        return list(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))
    return [child for child, parent, _ in relations() if parent == process]  # a kernel without that file


def _open_to_all(folder: Path) -> None:
    """Let another user read a bot's files. Nothing but us has written there, and the folder above is private."""
    for path in (folder, *folder.rglob("*")):
        mode = path.lstat().st_mode
        if stat.S_ISDIR(mode):
            path.chmod(0o755)
        elif stat.S_ISREG(mode):
            path.chmod(0o644)


def _end_session(leader: int) -> None:
    """Kill what is left of the processes that a warm process has started and could not end itself."""
    for process, _, session in relations():
        if session == leader:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
