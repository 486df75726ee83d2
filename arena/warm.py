"""The process in which a hosted bot is born: everything slow is imported once, then every match gets a fork.

Started by `arena.hosted` for one seat of one series. It opens no channel and loads no code of the bot; its
children do both, each for one match, so that nothing of a match is left when the next begins.

On standard input come orders, on standard output go answers, one JSON object a line::

    {"play": {"file": ..., "game": ..., "target": ..., "ticket": ...}}
    {"stop": true}                                kill the child of the present match
                                                  {"ready": true}     {"exit": "exit status 1"}

Whatever the bot prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import sys
from typing import Any, NoReturn

from arena.lifeline import die_with_parent


def main() -> None:
    """Serve orders until standard input ends."""
    die_with_parent(int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is for whoever started us
    from arena import dial, kit  # noqa: F401  # slow, and wanted by every child

    _answer({"ready": True})
    for line in sys.stdin:
        order = json.loads(line)
        if "play" in order:
            _answer({"exit": _run(order["play"])})


def _run(order: dict[str, str]) -> str:
    """Fork a child that plays one match, wait for its end, and say how it ended."""
    sys.stdout.flush()
    warm = os.getpid()
    child = os.fork()
    if child == 0:
        _play(order, warm)
    ended = os.pidfd_open(child)
    with selectors.DefaultSelector() as selector:
        selector.register(ended, selectors.EVENT_READ)
        selector.register(sys.stdin, selectors.EVENT_READ)
        while not any(key.fileobj == ended for key, _ in selector.select()):
            # the only thing that can be said while a match is on is to stop it, be it by closing our input
            sys.stdin.readline()
            os.kill(child, signal.SIGKILL)
            selector.unregister(sys.stdin)
    os.close(ended)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return f"exit status {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"


def _play(order: dict[str, str], warm: int) -> NoReturn:
    """The child: the bot's code is loaded here, and nowhere else."""
    status = 1
    try:
        die_with_parent(warm)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        from arena import dial, kit  # imported already

        game = order["game"]
        factory = kit.load_bot(order["file"], game)
        dial.play_stream(factory, game=game, target=order["target"], token=order["ticket"])
        status = 0
    except BaseException as failure:  # noqa: BLE001  # whatever it is, it ends here, and its author reads why
        sys.excepthook(type(failure), failure, failure.__traceback__)
    finally:
        sys.stderr.flush()
        os._exit(status)


def _answer(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
