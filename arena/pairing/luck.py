"""The secret of a tournament, and the seeds of its blocks.

The luck of a tournament is settled before its first match, when its commitment is published: whoever runs it can
choose nothing afterwards, nor can a block that is played again get other luck. The seed of the draw, which is public,
has nothing to do with it.
"""

from __future__ import annotations

import hmac

from arena.chance import SEED_BYTES, ChanceError, SeedError, digest


def commitment(secret: bytes) -> bytes:
    """The SHA-256 of a tournament's secret, 32 bytes: published before the first round.

    Raises:
        SeedError: the secret has not 32 bytes.
    """
    _check(secret)
    return digest(secret)


def block_seed(secret: bytes, pairing: str, block: int) -> bytes:
    """The house's seed of a block, 32 bytes: HMAC-SHA256(secret, "pairing/block").

    Args:
        secret: the tournament's, 32 bytes.
        pairing: the name of the table, which is its own within the tournament and has no stroke in it.
        block: which block of its series, in decimal, from 0.

    Raises:
        SeedError: the secret has not 32 bytes.
        ChanceError: this names no block.
    """
    _check(secret)
    if not pairing or "/" in pairing or block < 0:
        raise ChanceError(f"{pairing}/{block} names no block of a tournament")
    return hmac.digest(secret, f"{pairing}/{block}".encode(), "sha256")


def _check(secret: bytes) -> None:
    if len(secret) != SEED_BYTES:
        raise SeedError(f"a tournament's secret has {SEED_BYTES} bytes, not {len(secret)}")
