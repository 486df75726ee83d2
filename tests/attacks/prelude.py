"""What stands before each of the hostile bots: it plays on, attacks at its second move, and prints what came of it."""

import json
import pathlib

GAME = "three_coins"
TARGETS = json.loads(pathlib.Path(__file__).with_name("targets.json").read_text())
moves = 0


def choose(view):
    global moves
    moves += 1
    if moves == 2:
        try:
            print("BROKE OUT:", attack(), flush=True)  # noqa: F821  # stands below
        except (Exception, SystemExit) as failure:
            print("contained:", type(failure).__name__, failure, flush=True)
    return view.legal[0]
