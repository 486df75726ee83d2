"""What the log leaves out."""

from __future__ import annotations

import logging


class OneLine(logging.Filter):
    """That somebody may not see a page, or has asked for it wrongly, is one line without a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name == "django.request" and record.levelno < logging.ERROR:
            record.exc_info = record.exc_text = None
        return True
