"""What a hosted bot finds where it runs, for its author."""

from __future__ import annotations

import importlib.metadata
import sys
from typing import NamedTuple

from arena.package import LONGEST_PATH, MOST_BYTES, MOST_FILES, MOST_UNPACKED


class Runtime(NamedTuple):
    """What there is, and how much of it."""

    python: str
    packages: tuple[str, ...]
    """Each with its version."""
    upload_bytes: int
    unpacked_bytes: int
    files: int
    longest_path: int


def describe() -> Runtime:
    """What a hosted bot finds here."""
    version = sys.version_info
    return Runtime(
        python=f"{version.major}.{version.minor}",
        packages=tuple(f"{name} {importlib.metadata.version(name)}" for name in ("bluff-arena", "numpy")),
        upload_bytes=MOST_BYTES,
        unpacked_bytes=MOST_UNPACKED,
        files=MOST_FILES,
        longest_path=LONGEST_PATH,
    )
