"""Makes the site ready to start: ``python -m webapp.prepare``. Safe to run again at every start."""

import hashlib
import os
from pathlib import Path

import django
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command, get_commands


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    django.setup()
    call_command("migrate", interactive=False, verbosity=0)
    if settings.STATIC_ROOT.is_relative_to(settings.ARENA_DATA):  # elsewhere, in an image say, they are ready-made
        _collect_static_files()
    if "prepare" in get_commands():
        call_command("prepare")
    print("the database and the static files are up to date")


def _collect_static_files() -> None:
    """Collect, hash and compress them if one has changed: that takes longer than all the rest of a start."""
    digest = hashlib.sha256(settings.STATIC_URL.encode())
    for finder in get_finders():
        for name, storage in sorted(finder.list([]), key=lambda pair: str(pair[0])):
            path = Path(storage.path(name))
            digest.update(f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}\n".encode())
    collected = settings.STATIC_ROOT.with_suffix(".sha256")
    whole = (settings.STATIC_ROOT / "staticfiles.json").exists()
    if not whole or not collected.exists() or collected.read_text() != digest.hexdigest():
        call_command("collectstatic", interactive=False, clear=True, verbosity=0)
        collected.write_text(digest.hexdigest())


if __name__ == "__main__":
    main()
