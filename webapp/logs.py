"""What the log leaves out."""

from __future__ import annotations

import logging


class OneLine(logging.Filter):
    """That somebody may not see a page, or has asked for it wrongly, is one line without a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        asked_wrongly = record.name == "django.request" and record.levelno < logging.ERROR
        # a wrong name of the host, say: everything that crawls the internet asks by one
        if asked_wrongly or record.name.startswith("django.security."):
            record.exc_info = record.exc_text = None
        return True
