"""Whether pages move by themselves: what the streaming process says of itself, every few seconds."""

from __future__ import annotations

import json
from typing import NamedTuple, cast

import redis

from webapp.live.channels import redis_url

KEY = "live-alive"
EVERY_SECONDS = 5
FORGOTTEN_SECONDS = 16
"""After this its silence is noticed."""

TIMEOUT_SECONDS = 0.5


class Streaming(NamedTuple):
    """How the streaming process is doing."""

    spectators: int
    channels: int


def written(*, spectators: int, channels: int) -> str:
    """What it says."""
    return json.dumps(Streaming(spectators, channels)._asdict())


def streaming() -> Streaming | None:
    """How it is doing; None where it gives no sign."""
    if not redis_url():
        return None
    try:
        with redis.Redis.from_url(
            redis_url(), socket_timeout=TIMEOUT_SECONDS, socket_connect_timeout=TIMEOUT_SECONDS, retry=None
        ) as client:
            said = cast(bytes | None, client.get(KEY))
    except (redis.RedisError, OSError):
        return None
    return Streaming(**json.loads(said)) if said else None
