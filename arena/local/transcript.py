"""The transcript of a whole match in the protocol: ``python -m arena.local.transcript`` writes it, for the docs.

It is a real match between two of the house's bots, each at the end of a line; what is fixed are the luck and the times.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from pathlib import Path

from google.protobuf import text_format

from arena import chance, record
from arena.clock import FakeClock
from arena.conversation import Conversation
from arena.exchange import bind, unveil
from arena.games import find_game
from arena.kit import Bot, load_bot
from arena.protocol.v1 import arena_pb2 as pb
from arena.referee import Terms, play
from arena.rules import ruleset
from arena.seats import LineSeat
from arena.table import Limits, Player
from bots import house_bots

GAME = find_game("three_coins")
BOTS = ("honest", "calculator")
BLOCK, MATCH, SERIES = "series 7, block 1", "m-0123456789abcdef", "series 7"
SEED = 27
WIDTH = 110
HEAD = """# A whole match, message by message

What the bot `{bot}` heard and said in a match against `{other}`, from the Hello to the end of the stream: the protocol
of [protocol.md](protocol.md), in protobuf's text format. Bytes that only a program reads are shortened, and so is the
record. A number that is not shown is 0, a list that is not shown is empty: `players {{ bot: "{bot}" }}` has seat 0.

`python -m arena.local.transcript` writes this page, by playing the match; only luck and times are fixed.

"""


class _Wire:
    """A line to a bot in this very process, on which one can listen."""

    def __init__(self, conversation: Conversation, heard: list[tuple[str, str]]) -> None:
        self.conversation = conversation
        self.heard = heard
        self._replies: deque[bytes] = deque()

    async def send(self, message: bytes) -> None:
        told = pb.PlayResponse.FromString(message)
        self.heard.append(("arena", _text(told)))
        for reply in self.conversation.receive(told):
            self.heard.append(("bot", _text(reply)))
            self._replies.append(reply.SerializeToString())

    async def receive(self) -> bytes:
        return self._replies.popleft()


def transcript() -> str:
    """The page."""
    return asyncio.run(_transcript())


async def _transcript() -> str:
    clock = FakeClock()
    dice = random.Random(SEED)  # noqa: S311  # an example is no secret
    players = tuple(Player(name, f"sha256:{chance.digest(name.encode()).hex()}") for name in BOTS)
    wires = [_wire(name, dice) for name in BOTS]
    first = wires[0]
    hello = first.conversation.hello()
    hello.hello.software = "bluff-arena 0.1.0 python 3.11.2"
    first.heard.append(("bot", _text(hello)))
    welcome = pb.Welcome(bot=BOTS[0], version=players[0].version or "", session="(secret)", arena="0.1.0")
    await first.send(pb.PlayResponse(welcome=welcome).SerializeToString())
    seats = [LineSeat(GAME, wire) for wire in wires]
    for seat in seats:
        await seat.greet(SERIES, 1, [(player.bot, player.version) for player in players])
    binding = await bind(seats, BLOCK, draw_seed=lambda: dice.randbytes(32), clock=clock, seconds=10)
    luck = await unveil(seats, BLOCK, binding, clock=clock, seconds=10)
    terms = Terms(MATCH, ruleset(GAME, "duel"), players, Limits(), "forfeit", 1)
    played = await play(GAME, terms, seats, luck, clock=clock)
    reveal = pb.BlockReveal(block=BLOCK, seed=luck.seed, nonces=luck.nonces, records=[record.write(played)])
    for seat in seats:
        await seat.part(pb.PlayResponse(block_reveal=reveal))
        await seat.part(pb.PlayResponse(series_end=pb.SeriesEnd(message="the series is over")))
    assert not first.conversation.unfair
    body = "\n".join(f"{who}:\n\n```\n{text}\n```\n" for who, text in first.heard)
    return HEAD.format(bot=BOTS[0], other=BOTS[1]) + body


def _wire(name: str, dice: random.Random) -> _Wire:
    make = load_bot(house_bots(GAME.name)[name])
    seed = dice.random()

    def seeded() -> Bot:
        bot = make()
        bot.random.seed(seed)
        return bot

    conversation = Conversation(seeded, game=GAME.name, token="ba_(secret)", version="7")  # noqa: S106
    conversation.nonces = lambda: dice.randbytes(16)
    return _Wire(conversation, [])


def _text(message: pb.PlayRequest | pb.PlayResponse) -> str:
    shown = type(message).FromString(message.SerializeToString())
    if isinstance(shown, pb.PlayResponse) and shown.HasField("block_reveal"):
        records = shown.block_reveal.records
        records[:] = [f"{one[:60]}... ({len(one)} characters)" for one in records]
    lines = text_format.MessageToString(shown, use_short_repeated_primitives=True).splitlines()
    return "\n".join(_compact([_short(line) for line in lines]))


def _compact(lines: list[str]) -> list[str]:
    """Messages within messages that fit on a line, each on one: protobuf reads that as well."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line.endswith("{"):
            blocks.append([line])
        elif line.strip() == "}":
            block = blocks.pop()
            joined = " ".join([block[0], *(one.strip() for one in block[1:]), "}"])
            short = len(joined) <= WIDTH and len(blocks) > 1
            blocks[-1] += [joined] if short else [*block, line]
        else:
            blocks[-1].append(line)
    return blocks[0]


def _short(line: str) -> str:
    field, colon, value = line.partition(': "')
    escaped = colon and "\\" in value and "records" not in field
    return f'{field}: "..."' if escaped else line


if __name__ == "__main__":
    page = Path(__file__).parents[2] / "docs" / "protocol-transcript.md"
    page.write_text(transcript(), encoding="utf-8")
    print(f"{page}: {len(transcript().splitlines())} lines")
