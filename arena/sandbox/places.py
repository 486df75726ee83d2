"""What of this machine a hosted bot can see: the interpreter, the libraries, the kit. Nothing of the site."""

from __future__ import annotations

import importlib.metadata
import sys
import sysconfig
from functools import cache
from pathlib import Path
from typing import NamedTuple

import arena
from arena import runtime

SYSTEM = ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/etc/ld.so.cache")
"""Libraries of the system, where they are there."""

DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")

BOT = "/bot"
"""Where a bot's own files are, inside."""

SOCKET = "/run/arena.sock"
"""Where the seat's own socket is, inside."""


KIT = "/kit"
"""Where the kit and the packages are, inside."""


class Places(NamedTuple):
    """What may be read, and how Python is started with it."""

    python: str
    """The interpreter itself, not the link to it in an environment."""
    library: tuple[str, ...]
    """The interpreter and its library; inside as outside, since it finds the one by the other."""
    packages: tuple[str, ...]
    """The folders and modules of the kit and the packages."""

    @property
    def path(self) -> tuple[str, ...]:
        """What is added to `sys.path` where there is no outer wall."""
        return tuple(dict.fromkeys(str(Path(package).parent) for package in self.packages))


@cache
def places() -> Places:
    """Of the Python that runs this."""
    base = str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())
    kit = Path(arena.__file__).resolve().parent
    packages = [kit, *(top for name in (*runtime.PACKAGES, *runtime.CARRIERS) for top in _tops(name))]
    bases = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    library = {sysconfig.get_path(name, vars=bases) for name in ("stdlib", "platstdlib")}
    shared = sysconfig.get_config_var("LIBDIR")
    if sysconfig.get_config_var("Py_ENABLE_SHARED") and shared:
        library.update(str(file) for file in Path(shared).glob("libpython*"))
    return Places(base, (base, *sorted(library)), tuple(map(str, packages)))


def _tops(name: str) -> list[Path]:
    """The folders and modules in site-packages that a package consists of."""
    try:
        files = importlib.metadata.files(name) or []
    except importlib.metadata.PackageNotFoundError:
        return []
    tops = {
        Path(str(file.locate())).parents[len(file.parts) - 1] / file.parts[0]
        for file in files
        if file.parts[0] not in ("..", "__pycache__") and not file.parts[0].endswith(".dist-info")
    }
    return sorted(tops)
