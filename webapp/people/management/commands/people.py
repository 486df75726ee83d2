"""``python -m webapp people``: plays the tables at which people sit."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from typing import Any

from django.core.management.base import BaseCommand

from webapp.matches import hosting
from webapp.people.process import serve


class Command(BaseCommand):
    """Plays with people until it is told to end."""

    help = "Play the tables at which people sit, all of them in this process."

    def handle(self, *args: Any, **options: Any) -> None:
        """Until SIGTERM or SIGINT."""
        found = hosting.report()  # before the loop: the trial has one of its own
        asyncio.run(self._serve(strong=found.strong))

    async def _serve(self, *, strong: bool) -> None:
        ending = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, ending.set)
        self.stdout.write("the tables for people are open")
        await serve(worker=f"people:{socket.gethostname()}:{os.getpid()}"[:80], strong=strong, ending=ending)
