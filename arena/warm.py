"""The process in which a hosted bot is born: everything slow is imported once, then every match gets a fork.

Started by `arena.sandbox.cell` for one seat of one series, behind the outer wall where there is one; there it is the
process with the number 1, so that no signal of a bot can end it, and everything ends with it. It opens no channel and
loads no code of the bot; its children do both, each for one match and behind the inner walls, so that nothing of a
match is left when the next begins: neither in memory, nor a file, nor a process that the bot has started.

On standard input come orders, on standard output go answers, one JSON object a line::

    {"play": {"file": ..., "game": ..., "target": ..., "ticket": ..., "uid": ...}}
    {"probe": {..., "uid": ...}}                  a child that tries to break out instead: `arena.sandbox.probe`
    {"freeze": true}  {"thaw": true}              stop the child of the present match, let it go on
    {"stop": true}                                kill it
    {"fence": "word"}                             write the word to standard error
                                                  {"ready": true}     {"exit": "exit status 1"}     {"unlocked": true}

Whatever the bot prints goes to standard error. The end of standard input, or of who started this, ends it all.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import sys
import time
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

from arena.lifeline import adopt_orphans, die_with_parent, relations
from arena.sandbox.inner import lock_in
from arena.sandbox.walls import Walls

_INIT = 1
"""The number of this process where it has a pid namespace of its own."""

_LOCKED = b"1"
"""Said by the child before it loads a line of the bot's code, on a pipe that it then closes."""

_REASONS = {signal.SIGXCPU: " (its processor time was used up)"}


class Setting(NamedTuple):
    """What a warm process is told about itself when it is started."""

    parent: int
    """Who started it, which cannot be seen from behind the outer wall."""
    walls: Walls
    readable: tuple[str, ...]
    imports: tuple[str, ...]
    """What every child will want."""


def main(arguments: str) -> None:
    """Serve orders until standard input ends. ``arguments`` is a `Setting` as JSON."""
    parent, walls, readable, imports = json.loads(arguments)
    setting = Setting(parent, Walls(*walls), tuple(readable), tuple(imports))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is for whoever started us
    if not setting.walls.outer:
        signal.signal(signal.SIGTERM, _leave)
        adopt_orphans()
        # not by SIGKILL: what the bot has started has to end too
        die_with_parent(setting.parent, by=signal.SIGTERM)
    # slow, and wanted by every child
    for name in setting.imports:
        import_module(name)
    gc.freeze()
    gc.enable()
    _answer({"ready": True})
    orders = _Orders()
    while (order := orders.next()) is not None:
        if "play" in order or "probe" in order:
            _answer({"exit": _run(order, setting, orders)})
        elif "fence" in order:
            os.set_blocking(2, True)  # the bot may have changed that for everybody
            os.write(2, order["fence"].encode())
    os._exit(0)  # there is nothing to tidy up, and that would take a while


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


def _run(order: dict[str, Any], setting: Setting, orders: _Orders) -> str:
    """Fork a child that plays one match, wait for its end, and say how it ended."""
    warm = os.getpid()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _be_the_bot(order, setting, warm, writing)
    os.close(writing)
    locked = os.read(reading, 1) == _LOCKED
    os.close(reading)
    ended = os.pidfd_open(child)
    while orders.wait(ended):
        # while a match is on it can be frozen, thawed and stopped; the end of our input stops it too
        present = orders.next() or {}
        if "freeze" in present:
            os.kill(child, signal.SIGSTOP)
        elif "thaw" in present:
            os.kill(child, signal.SIGCONT)
        else:
            os.kill(child, signal.SIGKILL)
            break
    _, status = os.waitpid(child, 0)
    os.close(ended)
    _end_children()
    if not locked:
        # our own fault, and not to be taken for the bot's
        _answer({"unlocked": True})
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"exit status {code}"
    return f"killed by {signal.Signals(-code).name}{_REASONS.get(signal.Signals(-code), '')}"


def _end_children() -> None:
    """Kill all children. The children of those become ours when they die, and are killed in turn."""
    own = os.getpid()
    while True:
        if own == _INIT:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)  # all there is, at one stroke
        else:
            for process, parent, _ in relations():
                if parent == own:
                    os.kill(process, signal.SIGKILL)  # not reaped yet, so that no other can have its number
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


def _be_the_bot(order: dict[str, Any], setting: Setting, warm: int, locked: int) -> NoReturn:
    """The child: the bot's code is loaded here, and nowhere else."""
    status = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        die_with_parent(warm)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        os.dup2(locked, 3)
        os.closerange(4, 1024)
        what = order.get("play") or order["probe"]
        lock_in(setting.walls, uid=what["uid"], readable=setting.readable)
        os.write(3, _LOCKED)
        os.close(3)
        if "play" in order:
            _play(what)
        else:
            import_module("arena.sandbox.probe").main(what)
        status = 0
    except BaseException as failure:  # noqa: BLE001  # whatever it is, it ends here, and its author reads why
        _tell(failure)
        if isinstance(failure, SystemExit) and isinstance(failure.code, int):
            status = failure.code & 255
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _tell(failure: BaseException) -> None:
    """Say why it ended, where its author reads it."""
    try:
        from arena.kit import own_traceback

        text = own_traceback(failure)
    except Exception:  # noqa: BLE001  # it may have taken to pieces whatever is needed for that
        sys.excepthook(type(failure), failure, failure.__traceback__)
    else:
        print(text, file=sys.stderr)


def _play(order: dict[str, Any]) -> None:
    from arena import dial, kit  # imported already

    game = order["game"]
    factory = kit.load_bot(order["file"], game)
    dial.play_stream(factory, game=game, target=order["target"], token=order["ticket"])


def _answer(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
