"""How long a step takes to reach very many spectators, and what each of them costs.

``python -m bench.spectators``: starts a Redis and a streaming process, lets spectators follow a running match, in two
languages, and others the page of a tournament; then tells a match step by step, and measures for each spectator how
long it takes until a picture has arrived that shows the step. A picture may show several steps that came together.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path

import click
import django

PACE_SECONDS = 0.1
RECORD = Path(__file__).parents[1] / "tests/data/records/commerce-preset.json"


@click.command()
@click.option("--spectators", default=200, show_default=True, help="Those of the match; a quarter more follow a page.")
@click.option("--steps", default=100, show_default=True)
def main(spectators: int, steps: int) -> None:
    """Measure the streaming process."""
    from tests.services import free_port
    from tests.webapp.streaming import redis_at, streaming

    with tempfile.TemporaryDirectory(prefix="arena-") as folder, redis_at(Path(folder)) as url:
        os.environ |= {"CACHE_URL": url, "DJANGO_SETTINGS_MODULE": "webapp.live.settings"}
        django.setup()
        port = free_port()
        limits = {"ARENA_LIVE_ADDRESS_CONNECTIONS": "0", "ARENA_LIVE_CONNECTIONS": "0"}
        with streaming(url, port=port, **limits):
            asyncio.run(_measure(port, spectators, steps))


async def _measure(port: int, spectators: int, steps: int) -> None:
    from arena import record as records
    from arena.games import find_game
    from arena.verify import fold
    from webapp.live import channels
    from webapp.live.board import _Match, draw
    from webapp.live.frames import public_frame
    from webapp.live.table import Teller

    record = records.read(RECORD.read_bytes())
    told = [(folded.state, folded.events) for folded in fold(record)][:steps]
    bots = [line.bot for line in record.players]
    game = find_game("commerce")
    teller = Teller(1, game=game, match="m-1", number=1, planned=2, bots=bots)
    match = _Match("m-1", "commerce", 1, 2, tuple(bots))
    seen = [public_frame(game, state, events) for state, events in told]
    shows = {
        draw(match, seen[: step + 1], "", language).rstrip(b"\n"): step
        for step in range(len(told))
        for language in ("en", "uk")
    }
    process = _listening(port)
    memory, _ = _used(process)
    names = [f"series-1?language={'en' if n % 2 else 'uk'}" for n in range(spectators)]
    names += ["tournament-cup"] * (spectators // 4)
    heard: list[list[tuple[float, int]]] = [[] for _ in names]
    watching = [asyncio.create_task(_watch(port, name, shows, to)) for name, to in zip(names, heard, strict=True)]
    await asyncio.sleep(2)
    _, cpu = _used(process)
    began = time.time()
    said: list[float] = []
    for number, (state, events) in enumerate(told):
        said.append(time.time())
        teller.watch(state, events)
        if number % 10 == 0:
            channels.publish("tournament-cup", "changed")
        await asyncio.sleep(PACE_SECONDS)
    await asyncio.sleep(2)
    grown, used = _used(process)
    late = sorted(
        next((at for at, newest in mine if newest >= step), float("inf")) - moment
        for mine in heard[:spectators]
        for step, moment in enumerate(said)
    )
    for task in watching:
        task.cancel()
    await asyncio.gather(*watching, return_exceptions=True)
    print(f"{len(names)} spectators, {len(told)} steps in {time.time() - began:.0f} s, {sum(map(len, heard))} messages")
    print(f"late: median {late[len(late) // 2]:.3f} s, p99 {late[int(len(late) * 0.99)]:.3f} s, most {late[-1]:.3f} s")
    print(f"memory {memory / 1e3:.1f} MB, then {grown / 1e3:.1f} MB: {(grown - memory) / len(names):.0f} kB for each")
    print(f"processor {used - cpu:.1f} s")


async def _watch(port: int, name: str, shows: dict[bytes, int], heard: list[tuple[float, int]]) -> None:
    """Write down when a message arrives, and the step that its picture shows; -1 where it is no picture."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    writer.write(f"GET /live/{name} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".encode())
    data: list[bytes] = []
    try:
        while line := await reader.readline():
            if line.startswith(b"data:"):
                data.append(line[6:].rstrip(b"\n"))
            elif line == b"\n" and data:
                heard.append((time.time(), shows.get(b"\n".join(data).rstrip(b"\n"), -1)))
                data = []
    finally:
        writer.close()


def _listening(port: int) -> list[int]:
    """The streaming process and its worker."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                found[int(folder.name)] = (
                    (folder / "cmdline").read_bytes(),
                    int((folder / "stat").read_text().rpartition(")")[2].split()[1]),
                )
            except OSError:
                continue
    command = f"webapp.live\0--port\0{port}".encode()
    first = {number for number, (line, _) in found.items() if command in line}
    return [number for number, (_, parent) in found.items() if number in first or parent in first]


def _used(processes: list[int]) -> tuple[int, float]:
    """Memory in kB and processor time in seconds, of all of them."""
    memory, ticks = 0, 0
    for number in processes:
        folder = Path(f"/proc/{number}")
        lines = (folder / "status").read_text().splitlines()
        memory += sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return memory, ticks / 100


if __name__ == "__main__":
    main()
