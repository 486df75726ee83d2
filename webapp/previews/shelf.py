"""Pictures that were drawn, in the data folder: so many, and then the oldest make room."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from django.conf import settings

MOST = 400
"""Pictures of some 100 kB."""


def _folder() -> Path:
    return Path(settings.ARENA_DATA) / "previews"


def find(name: str) -> bytes | None:
    """The picture of this name, if it is kept."""
    try:
        return (_folder() / name).read_bytes()
    except FileNotFoundError:
        return None


def keep(name: str, picture: bytes) -> None:
    """Keep a picture. Whoever reads it meanwhile finds all of it or nothing."""
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=folder)
    with os.fdopen(descriptor, "wb") as file:
        file.write(picture)
    Path(draft).replace(folder / name)
    _make_room(folder)


def _make_room(folder: Path) -> None:
    aged: list[tuple[float, Path]] = []
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):  # another process makes room, too
            aged.append((path.stat().st_mtime, path))
    if len(aged) > MOST:
        for _time, path in sorted(aged)[: len(aged) - MOST + MOST // 10]:
            path.unlink(missing_ok=True)
