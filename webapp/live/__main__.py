"""Runs the streaming process: ``python -m webapp.live --port 8001``."""

from __future__ import annotations

import os

import click
from granian.constants import Interfaces, Loops
from granian.log import LogLevels
from granian.server import Server

APPLICATION = "webapp.live.app:make"

MOST_OPEN = 8192
"""Connections that the server takes at all; the application counts more closely."""


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", type=click.IntRange(1, 65535), default=8001, show_default=True)
def main(host: str, port: int) -> None:
    """Stream to the pages what happens now."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "webapp.live.settings"
    Server(
        APPLICATION,
        factory=True,
        address=host,
        port=port,
        interface=Interfaces.ASGI,
        loop=Loops.asyncio,
        workers=1,
        backpressure=MOST_OPEN,
        websockets=False,
        log_level=LogLevels.warning,
        workers_kill_timeout=2,
    ).serve()


if __name__ == "__main__":
    main()
