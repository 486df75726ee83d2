"""The solution of Three Coins as a text that fits into the file of a bot, and that bot's file with the text put in.

    python -m arena.solve.table bots/three_coins/equilibrium.py

Words, between blanks: ``32+`` begins the rounds with 3 coins against 2 that one starts oneself (``-``: that the other
starts); ``1/24`` begins what is said with 1 in the fist after the bids 2 and 4, ``/`` what is hidden; then come moves,
each with its probability unless it is certain. What one's own play never leads to is left out.
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

from arena.games.three_coins import GAME, Options
from arena.rules import ruleset
from arena.solve.three_coins import SOLVER, Coins, Play, Speech, optimal, positions, the_round

LETTERS = {"call": "c", "cliff": "e", "zero": "z", "max": "m"}
"""Cliff is e, for exactly."""

DIGITS = 9
"""Behind the point; this costs less than 1e-8."""

WIDTH = 116


def table(options: Options) -> str:
    """The optimal play of a ruleset in which nobody has more than nine coins."""
    plays, _, _ = optimal(options)
    words: list[str] = []
    for coins in positions(options):
        for starts in (True, False):
            words += [
                f"{coins[0]}{coins[1]}{'+' if starts else '-'}",
                *_position(options, coins, starts, plays[starts, coins]),
            ]
    return textwrap.fill(" ".join(words), WIDTH)


def _position(options: Options, coins: Coins, starts: bool, play: Play) -> list[str]:
    words = ["/", *_moves({str(hand): float(chance) for hand, chance in enumerate(play.hide)})]
    player = 0 if starts else 1
    this = the_round(options, coins if starts else coins[::-1])
    for hand in range(coins[0] + 1):
        for speech in this.speeches:
            if speech.speaker == player and _comes(play, player, hand, speech):
                bids = "".join(str(bid) for bid in range(speech.bidding.bit_length()) if speech.bidding >> bid & 1)
                said = {
                    LETTERS.get(str(move), str(move)): float(play.say[speech.bidding, move][hand])
                    for move in (*speech.bids, *speech.words)
                }
                words += [f"{hand}/{bids}", *_moves(said)]
    return words


def _moves(chances: dict[str, float]) -> list[str]:
    words = []
    for move, chance in chances.items():
        written = f"{chance:.{DIGITS}f}"
        if float(written) == 1:
            words.append(move)
        elif float(written) > 0:
            words += [move, written[1:].rstrip("0")]
    return words


def _comes(play: Play, player: int, hand: int, speech: Speech) -> bool:
    """Can the own play lead there?"""
    if play.hide[hand] == 0:
        return False
    bidding = speech.bidding
    while bidding:
        bid = bidding.bit_length() - 1
        bidding ^= 1 << bid
        if bidding.bit_count() % 2 == player and play.say[bidding, bid][hand] == 0:
            return False
    return True


def put(source: str) -> str:
    """The source of a bot with each of its tables, ``NAME = \"\"\"...\"\"\"  # preset``, made anew."""

    def fresh(found: re.Match[str]) -> str:
        rules = ruleset(GAME, found["preset"])
        SOLVER.check(rules)
        return f'{found["name"]} = """\n{table(Options(**rules.values))}\n"""  # {found["preset"]}'  # type: ignore[arg-type]

    return re.sub(r'(?P<name>[A-Z_]+) = """\n[^"]*"""  # (?P<preset>[a-z-]+)', fresh, source)


def main() -> None:
    """Put the tables into the file that is named."""
    file = Path(sys.argv[1])
    file.write_text(put(file.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
