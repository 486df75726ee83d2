"""Every die and every card, derived from a committed seed by a label.

A table's key is made of the house's secret seed and of every player's nonce, to which all of them
committed by their SHA-256 before any of it was shown. From the key each draw follows by its label
alone, so that whoever holds a finished record can redo all of its luck, in any language:
``docs/fairness.md`` writes the derivation out.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from struct import Struct
from typing import TypeVar

SEED_BYTES = 32
"""The length of a seed, in bytes."""

LONGEST_NONCE = 32
"""The most bytes that a nonce can have; it may also be empty."""

_WORD_RANGE = 1 << 64
_WORDS = Struct(">4Q")  # one SHA-256 block, read as big-endian 64-bit words


class ChanceError(ValueError):
    """Something from which no fair luck can be made."""


class NonceError(ChanceError):
    """A nonce that is too long."""


class SeedError(ChanceError):
    """A seed that has not 32 bytes."""


def digest(secret: bytes) -> bytes:
    """The SHA-256 of ``secret``, 32 bytes: the commitment to a seed, or the hash of a nonce."""
    return hashlib.sha256(secret).digest()


def check_nonce(nonce: bytes) -> None:
    """Refuse a nonce that is too long.

    Raises:
        NonceError: it has more than 32 bytes.
    """
    if len(nonce) > LONGEST_NONCE:
        raise NonceError(f"a nonce has 0 to {LONGEST_NONCE} bytes, not {len(nonce)}")


def table_key(seed: bytes, nonces: Sequence[bytes]) -> bytes:
    """The key, 32 bytes, from which all luck of a block of matches follows.

    It is HMAC-SHA256 with ``seed`` as its key, over every nonce with one byte for its length before it.

    Args:
        seed: the house's secret, 32 bytes.
        nonces: in the order of the players' seats in the block's first match.

    Raises:
        SeedError: ``seed`` has not 32 bytes.
        NonceError: a nonce has more than 32 bytes.
    """
    if len(seed) != SEED_BYTES:
        raise SeedError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
    for nonce in nonces:
        check_nonce(nonce)
    return hmac.digest(seed, b"".join(bytes((len(nonce),)) + nonce for nonce in nonces), "sha256")


def draw(key: bytes, label: str, sizes: Sequence[int]) -> tuple[int, ...]:
    """One uniform integer in ``[0, size)`` for each of ``sizes``: the draw that ``label`` names.

    The words come from HMAC-SHA256(key, label + "#" + block number), blocks 0, 1, 2, …; a word that
    would favour the low numbers is skipped.

    Raises:
        ChanceError: a size is below 1 or above 2**64.
    """
    got: list[int] = []
    words: tuple[int, ...] = ()
    block = at = 0
    prefix = label.encode() + b"#"
    for size in sizes:
        if not 1 <= size <= _WORD_RANGE:
            raise ChanceError(f"draw {label}: no number can be drawn out of {size}")
        limit = _WORD_RANGE - _WORD_RANGE % size
        while True:
            if at == len(words):
                words = _WORDS.unpack(hmac.digest(key, prefix + b"%d" % block, "sha256"))
                block += 1
                at = 0
            word = words[at]
            at += 1
            if word < limit:
                break
        got.append(word % size)
    return tuple(got)


def derive(seed: bytes, purpose: str, index: int, seat: int) -> bytes:
    """32 bytes for one purpose of seeded local play: HMAC-SHA256(seed, "purpose/index/seat").

    Args:
        seed: any bytes; who knows them knows all that is derived.
        purpose: what the bytes are for. Nothing for a bot may ever be derived from a table key.
        index: the number of the block or of the match.
        seat: the seat, or whatever else the purpose counts.
    """
    return hmac.digest(seed, f"{purpose}/{index}/{seat}".encode(), "sha256")


FRESH_DECK = tuple(rank + suit for suit in "CDHS" for rank in "23456789TJQKA")
"""The 52 cards before any shuffle, from the bottom up: 2C..AC, 2D..AD, 2H..AH, 2S..AS."""

T = TypeVar("T")


def shuffle_sizes(cards: int) -> tuple[int, ...]:
    """The sizes of the draw that shuffles so many cards: n, n-1, …, 2."""
    return tuple(range(cards, 1, -1))


def shuffled(deck: Sequence[T], got: Sequence[int]) -> tuple[T, ...]:
    """``deck`` after the Fisher-Yates shuffle that ``got`` describes; the top card is the last one.

    From the last position down to the second, the card there changes places with the one at the
    position drawn for it.

    Raises:
        ChanceError: ``got`` is no draw of the sizes `shuffle_sizes` of this deck.
    """
    sizes = shuffle_sizes(len(deck))
    if len(got) != len(sizes) or not all(0 <= g < size for g, size in zip(got, sizes, strict=True)):
        raise ChanceError(f"{len(deck)} cards are not shuffled by the draw {list(got)}")
    cards = list(deck)
    for last, other in zip(range(len(cards) - 1, 0, -1), got, strict=True):
        cards[last], cards[other] = cards[other], cards[last]
    return tuple(cards)
