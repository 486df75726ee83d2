"""Which walls stand around a hosted bot."""

from __future__ import annotations

from typing import NamedTuple


class Walls(NamedTuple):
    """The walls to put up, as far as this machine has the means for them.

    All of them, always: the only ones who take one away are the tests, which show that an attack succeeds without
    the wall that is to stop it.
    """

    outer: bool = True
    """bubblewrap: namespaces of its own, and a view of the file system that has nothing in it but what a bot needs."""
    uid: bool = True
    """A user of its own, and no capabilities."""
    limits: bool = True
    """The kernel's limits for a process: memory, processor time, threads, open files, sizes of files."""
    landlock: bool = True
    """Rules on paths, TCP, signals and abstract sockets, which the process puts upon itself for good."""
    seccomp: bool = True
    """The list of the system calls that are allowed."""
    cgroup: bool = True
    """Limits on all processes and all memory of a bot together, the kernel's own for it included."""


ALL = Walls()
NONE = Walls(outer=False, uid=False, limits=False, landlock=False, seccomp=False, cgroup=False)
