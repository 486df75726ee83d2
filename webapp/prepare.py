"""Makes the site ready to start: ``python -m webapp.prepare``. Safe to run again at every start."""

import os

import django
from django.core.management import call_command, get_commands


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    django.setup()
    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    if "prepare" in get_commands():
        call_command("prepare")
    print("the database and the static files are up to date")


if __name__ == "__main__":
    main()
