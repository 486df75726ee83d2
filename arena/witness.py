"""A process that watches over one in which bots run, and tells whose bot it was that ended it.

A bot that calls ``os._exit``, or crashes the interpreter, leaves nobody in its process who could say so. Only the
standard library is imported here, since what is loaded before the fork is loaded in both.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from arena.lifeline import die_with_parent

_HANDED_ON = (signal.SIGINT, signal.SIGTERM)
_ROOM = 1024
_board: mmap.mmap | None = None
"""Shared with the watcher: a byte that says whether the end was orderly, then who is thinking."""
_thinking: list[str] = []


@contextmanager
def asking(name: str) -> Iterator[None]:
    """While a bot of this name does something: if the process ends meanwhile, that was its doing."""
    if _board is None:
        yield
        return
    _thinking.append(name)
    _write()
    try:
        yield
    finally:
        _thinking.remove(name)
        _write()


def watched(run: Callable[[], None]) -> int:
    """Have ``run`` done in a child; its exit code, or 1 with a line on the standard error when a bot has ended it.

    A signal that asks this process to end is handed on to the child, which gets none from the terminal itself.
    """
    global _board
    board = mmap.mmap(-1, _ROOM)
    parent = os.getpid()
    # what comes while there is a child already and nobody to hand it on waits until there is
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _HANDED_ON)
    child = os.fork()
    if child == 0:
        die_with_parent(parent)
        os.setpgid(0, 0)
        _board = board
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            run()
        finally:
            board[0:1] = b"\x01"
        return 0
    handed: list[int] = []

    def hand_on(number: int, _frame: FrameType | None) -> None:
        handed.append(number)
        os.kill(child, number)

    for number in _HANDED_ON:
        signal.signal(number, hand_on)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if board[0]:
        return code
    if handed and code < 0:
        return 128 - code
    print(f"arena: {_told(board, code)}", file=sys.stderr)
    return 1


def leave_at_once(code: int) -> NoReturn:
    """End this process as it stands, on purpose: it is no bot's doing."""
    if _board is not None:
        _board[0:1] = b"\x01"
    os._exit(code)


def _write() -> None:
    assert _board is not None
    names = " and ".join(_thinking).encode()[: _ROOM - 2]
    _board[1:_ROOM] = names.ljust(_ROOM - 1, b"\0")


def _told(board: mmap.mmap, code: int) -> str:
    names = board[1:_ROOM].rstrip(b"\0").decode(errors="replace")
    how = f"with exit code {code}" if code >= 0 else f"by {signal.Signals(-code).name}"
    if not names:
        return f"the process in which the bots ran was ended {how}"
    return f"{names} ended the process in which the bots ran, {how}: no bot may call os._exit, or crash Python"
