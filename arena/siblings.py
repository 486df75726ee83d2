"""What ``import helpers`` means in a bot's files: the module beside them, and one of its own for each bot.

Several bots play in one process, and each match has a new bot. So the modules of a bot's folder do not go by their
plain names, under which they would be shared, but below a name that is made anew with every bot. The bot's files see
nothing of it: their ``__import__`` looks into the folder first. It never finds there what the standard library or the
arena calls its own, so that a bot may well be called ``random.py``.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.util
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from itertools import count
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

ENTRY = "bot.py"
"""The file with the bot: at the root of what an author hands in, or in its only top folder."""

_PREFIX = "arena_bot_"

_numbers = count(1)

_OURS = sys.stdlib_module_names | {"arena"}

MOST_AT_ONCE = 64
"""So many bots of one file may be alive together: as many as a program may have tables."""


class Folder:
    """The folder of a bot's file."""

    def __init__(self, file: Path) -> None:
        importlib.invalidate_caches()  # the folder may have been written a moment ago
        _Finder.install()
        self._file = file
        self._path = str(file.absolute().parent)
        self._beside: dict[str, bool] = {}
        self._codes: dict[str, CodeType] = {}
        self._made: deque[str] = deque()

    def module(self) -> ModuleType:
        """A new, empty module for the file; what is imported from it comes from the folder first."""
        name = f"{_PREFIX}{next(_numbers)}"
        self._made.append(name)
        if len(self._made) > MOST_AT_ONCE:
            _forget(self._made.popleft())
        module = ModuleType(name)
        module.__file__ = str(self._file)
        module.__package__ = name
        module.__path__ = [self._path]
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self._import_for(name)}
        module.__dict__["__arena_codes__"] = self._codes
        # dataclasses look the module of a class up by its name
        sys.modules[name] = module
        return module

    def _import_for(self, root: str) -> Any:
        def find(
            name: str,
            globals: Mapping[str, object] | None = None,  # noqa: A002  # the names are Python's own
            locals: Mapping[str, object] | None = None,  # noqa: A002
            fromlist: Sequence[str] = (),
            level: int = 0,
        ) -> ModuleType:
            top = name.partition(".")[0]
            if level or not self._has(top):
                return builtins.__import__(name, globals, locals, fromlist, level)
            found = builtins.__import__(f"{root}.{name}", globals, locals, fromlist, 0)
            return found if fromlist else sys.modules[f"{root}.{top}"]

        return find

    def _has(self, name: str) -> bool:
        """Whether this is a module of the folder."""
        if name not in self._beside:
            self._beside[name] = name not in _OURS and self._finds(name)
        return self._beside[name]

    def _finds(self, name: str) -> bool:
        spec = PathFinder.find_spec(name, [self._path])
        if spec is None:
            return False
        # any folder looks like a package; one without a source of its own gives way to what is installed
        return spec.origin is not None or (name not in sys.modules and importlib.util.find_spec(name) is None)


def _forget(root: str) -> None:
    for name in [name for name in sys.modules if name == root or name.startswith(f"{root}.")]:
        del sys.modules[name]


class _Loader(SourceFileLoader):
    """Loads a module beside a bot: it imports as the bot's own file does. Bytecode is left nowhere."""

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = _root(module.__name__)["__builtins__"]
        super().exec_module(module)

    def get_code(self, fullname: str) -> CodeType:
        codes: dict[str, CodeType] = _root(fullname)["__arena_codes__"]
        path = self.get_filename(fullname)
        if path not in codes:
            codes[path] = self.source_to_code(self.get_data(path), path)
        return codes[path]


def _root(name: str) -> dict[str, Any]:
    return vars(sys.modules[name.partition(".")[0]])


class _Finder:
    """Finds what is below a bot's own name."""

    @classmethod
    def install(cls) -> None:
        if not any(isinstance(finder, cls) for finder in sys.meta_path):
            sys.meta_path.insert(0, cls())

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(_PREFIX) or path is None:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec
