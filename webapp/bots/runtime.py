"""What a hosted bot finds where it runs, and what is taken in: for its author."""

from __future__ import annotations

from typing import NamedTuple

from arena import runtime
from arena.package import LONGEST_PATH, MOST_BYTES, MOST_FILES, MOST_UNPACKED
from webapp.matches.hosting import hosting


class Runtime(NamedTuple):
    """What there is, and how much of it."""

    name: str
    """The short name that a match keeps (`arena.runtime`)."""
    python: str
    packages: tuple[str, ...]
    """Each with its version."""
    memory_bytes: int
    cpu_seconds: int
    """Processor time of a match."""
    threads: int
    tmp_bytes: int
    upload_bytes: int
    unpacked_bytes: int
    files: int
    longest_path: int


def describe() -> Runtime:
    """What a hosted bot finds here. The name is that of the workers, where any of them runs uploads."""
    found = runtime.describe()
    return Runtime(
        name=hosting().runtime or runtime.name(),
        python=found["python"],
        packages=tuple(f"{name} {version}" for name, version in found["packages"].items()),
        memory_bytes=runtime.MEMORY_BYTES,
        cpu_seconds=runtime.CPU_SECONDS,
        threads=runtime.THREADS,
        tmp_bytes=runtime.TMP_BYTES,
        upload_bytes=MOST_BYTES,
        unpacked_bytes=MOST_UNPACKED,
        files=MOST_FILES,
        longest_path=LONGEST_PATH,
    )
