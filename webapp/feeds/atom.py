"""A feed as text, and the answer to who asks whether there is anything new in it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.translation import get_language

MOST = 50
"""Entries in a feed."""

FRESH_SECONDS = 60
"""How long a reader need not ask again."""

_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot say at all."""


class Entry(NamedTuple):
    """Something that has happened."""

    name: str
    """Its own for ever: ``match/m-0123456789abcdef``."""
    title: str
    address: str
    """Where it is shown, from the root of the site."""
    text: str
    when: datetime


class Feed(NamedTuple):
    """Entries, the newest first, and what they are of."""

    name: str
    title: str
    text: str
    address: str
    """The page that it belongs to, from the root of the site."""
    since: datetime
    """When that began: a feed without entries was changed then."""
    entries: Sequence[Entry]


def respond(request: HttpRequest, feed: Feed) -> HttpResponse:
    """The feed, or 304 to who has it already.

    The text is a function of its entries, so that its hash tells whether anything has changed.
    """
    text = write(feed, own_address=request.path)
    tag = f'"{hashlib.sha256(text).hexdigest()[:32]}"'
    changed = int(_updated(feed).timestamp())
    response = HttpResponse(text, content_type="application/atom+xml; charset=utf-8")
    answer = get_conditional_response(request, etag=tag, last_modified=changed, response=response)
    assert answer is not None
    answer.headers["ETag"] = tag
    answer.headers["Last-Modified"] = f"{datetime.fromtimestamp(changed, UTC):%a, %d %b %Y %H:%M:%S GMT}"
    patch_cache_control(answer, max_age=FRESH_SECONDS)
    return answer


def write(feed: Feed, *, own_address: str) -> bytes:
    """The feed as Atom."""
    written = _Dated(
        title=_plain(feed.title),
        link=absolute(feed.address),
        description=_plain(feed.text),
        language=get_language(),
        author_name="Bluff Arena",
        feed_url=absolute(own_address),
        feed_guid=tag(feed.name),
    )
    written.updated = _updated(feed)
    for entry in feed.entries[:MOST]:
        written.add_item(
            title=_plain(entry.title),
            link=absolute(entry.address),
            description=escape(_plain(entry.text)),
            unique_id=tag(entry.name),
            pubdate=entry.when,
            updateddate=entry.when,
        )
    return written.writeString("utf-8").encode()


def tag(name: str) -> str:
    """A name that stays when the site moves (RFC 4151).

    >>> tag("match/m-1")
    'tag:127.0.0.1,2026:match/m-1'
    """
    return f"tag:{urlsplit(settings.ARENA_BASE_URL).hostname},2026:{name}"


def absolute(address: str) -> str:
    """An address of the site with its host: the one that the site goes by, not the one that somebody asked for."""
    return f"{settings.ARENA_BASE_URL}{address}"


class _Dated(Atom1Feed):
    """Django's, which would say of a feed without entries that it has just changed."""

    updated: datetime

    def latest_post_date(self) -> datetime:
        return self.updated


def _updated(feed: Feed) -> datetime:
    return max((entry.when for entry in feed.entries[:MOST]), default=feed.since)


def _plain(text: str) -> str:
    return _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)
