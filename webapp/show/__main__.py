"""``python -m webapp.show FILE``: the viewer on this machine, until Ctrl-C. No database, nothing from the network."""

from __future__ import annotations

import os
import secrets
import signal
import sys
import tempfile
import threading
import webbrowser
from types import FrameType

import click

from arena.commands.common import load_record, record_file
from arena.commands.failures import Failed, Impossible, one_line
from arena.record import Record


def _settle(folder: str) -> None:
    """Ready the site's code, with settings that nothing of this machine's environment changes."""
    for name in [name for name in os.environ if name.startswith("ARENA_")]:
        del os.environ[name]
    os.environ |= {
        "ARENA_DATA": folder,
        "SECRET_KEY": secrets.token_urlsafe(),
        "ARENA_SECRET": secrets.token_urlsafe(),
        "DJANGO_SETTINGS_MODULE": "webapp.show.settings",
        "DEBUG": "false",
    }
    import django

    django.setup()


def _end(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@record_file("file")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="0 takes a free one.")
@click.option("--browser/--no-browser", default=True, help="Open the page in a browser.")
@click.option("--step", type=click.IntRange(0), help="Begin at this step.")
@click.option("--as", "eyes", default="everything", help="Show what this seat saw, or with public what everybody saw.")
def main(file: str, port: int, browser: bool, step: int | None, eyes: str) -> None:
    """Show the match that is recorded in FILE in a browser."""
    with one_line():
        record = load_record(file)
        signal.signal(signal.SIGTERM, _end)
        with tempfile.TemporaryDirectory(prefix="arena-show-") as folder:
            try:
                _settle(folder)
            except ModuleNotFoundError as error:
                raise Impossible(
                    f"{error.name} is not installed; install it with: pip install 'bluff-arena[site]'"
                ) from error
            _show(record, file, port, browser=browser, step=step, eyes=eyes)


def _show(record: Record, file: str, port: int, *, browser: bool, step: int | None, eyes: str) -> None:
    from arena.verify import VerificationError
    from webapp.matches.replay import NoSuchStep
    from webapp.show import server, views

    try:
        address = views.open_record(record=record, file=file, key=eyes, step=step)
    except VerificationError as error:
        raise Failed(f"{file}: {error}") from error
    except NoSuchStep as error:
        raise Impossible(f"{file}: there is no step and no seat {error}") from error
    try:
        listening = server.listen(port)
    except OSError as error:
        raise Impossible(f"port {port} cannot be had: {error.strerror}") from error
    where = f"http://127.0.0.1:{listening.server_port}{address}"
    click.echo(f"{file} is shown at {where}\nCtrl-C ends it.")
    if browser:
        threading.Thread(target=webbrowser.open, args=[where], daemon=True).start()
    try:
        listening.serve_forever()
    except KeyboardInterrupt:
        click.echo()
    finally:
        listening.server_close()


if __name__ == "__main__":
    sys.exit(main())
