"""Secrets and signatures, as the Standard Webhooks specification has them: HMAC-SHA256 of name, time and text."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

PREFIX = "whsec_"


def make_secret() -> str:
    """A new secret, as it is shown to its owner."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def signature(*, secret: str, name: str, seconds: int, text: bytes) -> str:
    """What ``webhook-signature`` says of this message when it is sent at this time (Unix).

    >>> key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    >>> text = b'{"test": 2432232314}'
    >>> signature(secret=key, name="msg_p5jXN8AQM9LWM0D4loKWxJek", seconds=1614265330, text=text)
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    """
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = hmac.new(key, b"%s.%d.%s" % (name.encode(), seconds, text), hashlib.sha256).digest()
    return "v1," + base64.b64encode(signed).decode()
