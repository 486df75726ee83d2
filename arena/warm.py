"""The process in which a hosted bot is born: everything slow is imported once, then every match gets a fork.

Started by `arena.hosted` for one seat of one series. It opens no channel and loads no code of the bot; its
children do both, each for one match, so that nothing of a match is left when the next begins: neither in memory,
nor a process that the bot has started.

On standard input come orders, on standard output go answers, one JSON object a line::

    {"play": {"file": ..., "game": ..., "target": ..., "ticket": ...}}
    {"stop": true}                                kill the child of the present match
    {"fence": "word"}                             write the word to standard error
                                                  {"ready": true}     {"exit": "exit status 1"}

Whatever the bot prints goes to standard error. The end of standard input, or of who started this, ends it all.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from typing import Any, NoReturn

from arena.lifeline import adopt_orphans, die_with_parent, relations


def main() -> None:
    """Serve orders until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is for whoever started us
    signal.signal(signal.SIGTERM, _leave)
    adopt_orphans()
    # not by SIGKILL: what the bot has started has to end too
    die_with_parent(int(sys.argv[1]), by=signal.SIGTERM)
    from arena import dial, kit  # noqa: F401  # slow, and wanted by every child

    _answer({"ready": True})
    orders = _Orders()
    while (order := orders.next()) is not None:
        if "play" in order:
            _answer({"exit": _run(order["play"], orders)})
        elif "fence" in order:
            os.write(2, order["fence"].encode())


def _leave(_number: int, _frame: object) -> None:
    _end_children()
    os._exit(1)


class _Orders:
    """Standard input, read without a buffer that `select` could not see into."""

    def __init__(self) -> None:
        self._rest = b""

    def next(self) -> dict[str, Any] | None:
        """The next order, or None at the end of the input."""
        while b"\n" not in self._rest:
            more = os.read(0, 65536)
            if not more:
                return None
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        order: dict[str, Any] = json.loads(line)
        return order

    def wait(self, other: int) -> bool:
        """Wait until ``other`` can be read, or an order has come; True for an order."""
        return b"\n" in self._rest or 0 in select.select([0, other], [], [])[0]


def _run(order: dict[str, str], orders: _Orders) -> str:
    """Fork a child that plays one match, wait for its end, and say how it ended."""
    warm = os.getpid()
    child = os.fork()
    if child == 0:
        _play(order, warm)
    ended = os.pidfd_open(child)
    if orders.wait(ended):
        # the only thing that can be said while a match is on is to stop it, be it by closing our input
        orders.next()
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(ended)
    _end_children()
    code = os.waitstatus_to_exitcode(status)
    return f"exit status {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"


def _end_children() -> None:
    """Kill all children. The children of those become ours when they die, and are killed in turn."""
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        own = os.getpid()
        for process, parent, _ in relations():
            if parent == own:
                os.kill(process, signal.SIGKILL)  # not reaped yet, so that no other process can have its number
        time.sleep(0.001)


def _play(order: dict[str, str], warm: int) -> NoReturn:
    """The child: the bot's code is loaded here, and nowhere else."""
    status = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        die_with_parent(warm)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        from arena import dial, kit  # imported already

        game = order["game"]
        factory = kit.load_bot(order["file"], game)
        dial.play_stream(factory, game=game, target=order["target"], token=order["ticket"])
        status = 0
    except BaseException as failure:  # noqa: BLE001  # whatever it is, it ends here, and its author reads why
        sys.excepthook(type(failure), failure, failure.__traceback__)
        if isinstance(failure, SystemExit) and isinstance(failure.code, int):
            status = failure.code & 255
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _answer(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
