"""What the kernel is told about the lines of spectators: the server between it and us says nothing of that kind."""

from __future__ import annotations

import contextlib
import os
import socket
import stat


def end_when_nothing_is_taken(seconds: float) -> int:
    """Have the kernel end each TCP line of this process on which nothing is taken for so long; returns of how many.

    Else the server holds a line for ever on which somebody is there and does not read, with what it could not send,
    also when we have long given him up. Lines that come later inherit this from the socket that listens, which the
    server opens after everything else: so the first request is the time for it. On Linux alone; elsewhere nothing
    happens.
    """
    if not hasattr(socket, "TCP_USER_TIMEOUT"):
        return 0
    told = 0
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208  # one of them is gone when it is looked at
        with contextlib.suppress(OSError):
            if not stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                continue
            with socket.socket(fileno=os.dup(int(name))) as found:
                if found.family in (socket.AF_INET, socket.AF_INET6):
                    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * seconds))
                    told += 1
    return told
