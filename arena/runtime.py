"""The runtime of hosted bots: the Python, the packages and the limits that such a bot finds, and a name for all of it.

A match keeps the name of the runtime it was played in, so that whoever looks at an old result knows whether the same
bot would find the same things today. Only the standard library is imported here.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from functools import cache
from typing import Any

from arena import __version__

MEMORY_BYTES = 512 << 20
"""The memory of a bot: its address space and, where the machine can count it, all that the kernel keeps for it."""

CPU_SECONDS = 600
"""Processor time of one match."""

THREADS = 64
"""Threads of a bot at once; about ten of them are gRPC's."""

OPEN_FILES = 128
"""Files and sockets that a bot may have open at once."""

TMP_BYTES = 16 << 20
"""Room in /tmp, which is empty when a match begins."""

TMP_FILES = 1024
"""Files and folders in /tmp."""

PACKAGES = ("numpy",)
"""What a bot may import besides the standard library and the kit, where it is installed."""

CARRIERS = ("grpcio", "protobuf", "typing_extensions")
"""What the kit itself stands on; there, but not promised to anybody."""


@cache
def describe() -> dict[str, Any]:
    """What an author must know of the place where his bot will run; sizes in bytes, times in seconds."""
    return {
        "python": sys.version.split()[0],
        "machine": os.uname().machine,
        "arena": __version__,
        "packages": {name: version for name in PACKAGES if (version := installed(name))},
        "memory_bytes": MEMORY_BYTES,
        "cpu_seconds": CPU_SECONDS,
        "threads": THREADS,
        "open_files": OPEN_FILES,
        "tmp_bytes": TMP_BYTES,
        "tmp_files": TMP_FILES,
        "network": False,
        "processes": 1,
    }


@cache
def name() -> str:
    """The short name of this runtime, ``py3.11-`` and 8 hex digits of the SHA-256 of what `describe` says."""
    content = json.dumps(describe(), sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(content.encode()).hexdigest()
    return f"py{sys.version_info.major}.{sys.version_info.minor}-{digest[:8]}"


def installed(package: str) -> str | None:
    """The version of a package that is installed here."""
    import importlib.metadata  # as slow as all of the kit, and bots' own processes want only the numbers above

    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
