"""The seeds of a tournament's blocks, against Python's other way of making an HMAC and a fixed vector."""

from __future__ import annotations

import hashlib

import pytest

from arena.chance import ChanceError, SeedError
from arena.pairing.luck import block_seed, commitment

SECRET = bytes(range(32))


def by_hand(key: bytes, message: bytes) -> bytes:
    """RFC 2104."""
    key = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + message).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in key) + inner).digest()


def test_the_vector() -> None:
    assert commitment(SECRET).hex() == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
    assert block_seed(SECRET, "S3.2", 0).hex() == VECTOR


VECTOR = "7c61f865070049e1e899b428cbae932c89fcee3249bccb393ae36e02af2bfdb1"


@pytest.mark.parametrize(("pairing", "block"), [("S3.2", 0), ("S3.2", 11), ("K1.4+2", 3)])
def test_it_is_the_documented_hmac(pairing: str, block: int) -> None:
    assert block_seed(SECRET, pairing, block) == by_hand(SECRET, f"{pairing}/{block}".encode())


def test_no_two_blocks_share_a_seed() -> None:
    seeds = {block_seed(SECRET, f"R{table}.1", block) for table in range(20) for block in range(20)}
    assert len(seeds) == 400


def test_what_is_no_secret_or_block_is_refused() -> None:
    with pytest.raises(SeedError, match="32 bytes"):
        block_seed(b"short", "S1.1", 0)
    with pytest.raises(SeedError):
        commitment(b"")
    for pairing, block in [("", 0), ("S1/1", 0), ("S1.1", -1)]:
        with pytest.raises(ChanceError, match="names no block"):
            block_seed(SECRET, pairing, block)
