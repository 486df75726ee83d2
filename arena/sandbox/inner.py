"""The inner walls: what a bot's process puts upon itself before it loads a line of the bot's code."""

from __future__ import annotations

import os
import resource
from collections.abc import Sequence

from arena import runtime
from arena.sandbox import kernel, landlock, seccomp
from arena.sandbox.walls import Walls

NICE = 5
"""Whoever referees, and the site, come before bots."""

TMP = "/tmp"  # noqa: S108


def lock_in(walls: Walls, *, uid: int | None, readable: Sequence[str]) -> None:
    """Put all ``walls`` around this process that this machine has the means for.

    Args:
        walls: ``outer`` says whether the outer wall stands around us already.
        uid: the user to become; None to stay who we are.
        readable: files and folders that may be read.

    Raises:
        OSError: a wall that is there cannot be put up. Nothing must be run then.
    """
    if walls.outer:
        os.setsid()  # elsewhere the session is how all that belongs to a bot is found
        kernel.own_tmp(runtime.TMP_BYTES, runtime.TMP_FILES)
    if walls.limits:
        _limit(threads=walls.outer)
    if walls.uid and walls.outer:
        _become(uid)
    kernel.no_new_privileges()
    kernel.hide_memory()
    if walls.landlock and landlock.version():
        landlock.restrict(readable, (TMP,) if walls.outer else ())
    if walls.seccomp and seccomp.supported():
        seccomp.filter_calls()


def _become(uid: int | None) -> None:
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    kernel.drop_capabilities()


def _limit(*, threads: bool) -> None:
    os.nice(NICE)
    limits = {
        resource.RLIMIT_AS: runtime.MEMORY_BYTES,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: runtime.TMP_BYTES,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_NOFILE: runtime.OPEN_FILES,
    }
    if threads:  # counted for a user: behind the outer wall for the bot alone, elsewhere for all that is ours
        limits[resource.RLIMIT_NPROC] = runtime.THREADS
    for what, value in limits.items():
        resource.setrlimit(what, (value, value))
    # the first ends the process with a signal that tells why, the second also one that will not hear it
    resource.setrlimit(resource.RLIMIT_CPU, (runtime.CPU_SECONDS, runtime.CPU_SECONDS + 1))
