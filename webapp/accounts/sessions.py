"""Sessions in the database, which is asked only for keys that it could have given."""

from __future__ import annotations

from django.contrib.sessions.backends import db


class SessionStore(db.SessionStore):
    """A key that no session can have, a cookie that somebody has made up, is like none: PostgreSQL takes no NUL."""

    def _validate_session_key(self, key: str | None) -> bool:
        return key is not None and len(key) >= 8 and key.isascii() and key.isalnum()
