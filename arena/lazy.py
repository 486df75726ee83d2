"""A table whose values are imported when they are first asked for: who plays one game need not load them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any


class Lazy(Mapping[str, Any]):
    """The attribute ``attribute`` of a module, by a name for each module."""

    def __init__(self, modules: Mapping[str, str], attribute: str) -> None:
        self._modules = modules
        self._attribute = attribute
        self._found: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = getattr(import_module(self._modules[name]), self._attribute)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)
