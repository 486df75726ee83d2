"""Chance: the published vector, the edges of rejection, the shuffle, and that dice are fair."""

from __future__ import annotations

import hashlib
import hmac
import json
import struct
from collections import Counter
from itertools import permutations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import chance

VECTOR = json.loads((Path(__file__).parents[1] / "data" / "fairness-vector.json").read_text())
SEED = bytes.fromhex(VECTOR["seed"])
NONCES = [bytes.fromhex(nonce) for nonce in VECTOR["nonces"]]
KEY = bytes.fromhex(VECTOR["table_key"])


def test_vector_commitment_and_key() -> None:
    assert chance.digest(SEED).hex() == VECTOR["commitment"]
    assert chance.table_key(SEED, NONCES) == KEY


@pytest.mark.parametrize("label", VECTOR["draws"])
def test_vector_draws(label: str) -> None:
    pinned = VECTOR["draws"][label]
    assert chance.draw(KEY, label, pinned["of"]) == tuple(pinned["got"])


def test_vector_deck() -> None:
    pinned = VECTOR["hand/1/deck"]
    got = chance.draw(KEY, "hand/1/deck", chance.shuffle_sizes(52))
    assert got == tuple(pinned["got"])
    assert " ".join(chance.shuffled(chance.FRESH_DECK, got)) == pinned["deck_bottom_to_top"]


def test_fresh_deck() -> None:
    assert len(set(chance.FRESH_DECK)) == 52
    assert chance.FRESH_DECK[:2] == ("2C", "3C")
    assert [chance.FRESH_DECK[i] for i in (12, 13, 25, 26, 38, 39, 51)] == ["AC", "2D", "AD", "2H", "AH", "2S", "AS"]


# ---- keys ----------------------------------------------------------------------------------------


def test_a_key_depends_on_the_order_and_the_borders_of_nonces() -> None:
    keys = {
        chance.table_key(SEED, nonces)
        for nonces in ([b"a", b"b"], [b"b", b"a"], [b"ab", b""], [b"", b"ab"], [b"ab"], [b"a", b"b", b""])
    }
    assert len(keys) == 6


def test_nonces_have_up_to_32_bytes() -> None:
    chance.check_nonce(b"")
    chance.check_nonce(bytes(32))
    chance.table_key(SEED, [bytes(32), b""])
    with pytest.raises(chance.NonceError, match="0 to 32 bytes, not 33"):
        chance.check_nonce(bytes(33))
    with pytest.raises(chance.NonceError):
        chance.table_key(SEED, [b"", bytes(33)])


@pytest.mark.parametrize("length", [0, 31, 33])
def test_seeds_have_32_bytes(length: int) -> None:
    with pytest.raises(chance.SeedError, match=f"not {length}"):
        chance.table_key(bytes(length), [b""])


def test_derive() -> None:
    assert chance.derive(b"7", "nonce", 3, 1) == hmac.digest(b"7", b"nonce/3/1", "sha256")
    told_apart = {chance.derive(b"7", *what) for what in (("a", 1, 2), ("a", 2, 1), ("b", 1, 2), ("a", 12, 2))}
    assert len(told_apart) == 4


# ---- draws ---------------------------------------------------------------------------------------


def words(key: bytes, label: str, blocks: int) -> list[int]:
    """The stream of 64-bit words, written once more from its description."""
    stream = b"".join(hmac.new(key, f"{label}#{n}".encode(), hashlib.sha256).digest() for n in range(blocks))
    return [int.from_bytes(stream[i : i + 8], "big") for i in range(0, len(stream), 8)]


def test_a_draw_goes_on_from_block_to_block() -> None:
    assert chance.draw(KEY, "x", (2**64,) * 9) == tuple(words(KEY, "x", 3)[:9])


def test_rejection_takes_the_next_word() -> None:
    # of all words, those from 2^63 + 1 up (nearly half) cannot be used for this size
    size = 2**63 + 1
    stream = words(KEY, "reject", 40)
    usable = [word for word in stream if word < size]
    assert len(usable) < len(stream)
    assert chance.draw(KEY, "reject", (size,) * 60) == tuple(usable[:60])


@pytest.mark.parametrize(
    ("size", "last_used"),
    [(3, 2**64 - 2), (6, 2**64 - 5), (10, 2**64 - 7), (2, 2**64 - 1), (1, 2**64 - 1), (2**64, 2**64 - 1)],
)
def test_rejection_boundary(monkeypatch: pytest.MonkeyPatch, size: int, last_used: int) -> None:
    """A word is refused exactly from 2^64 - (2^64 mod size) up."""
    blocks = iter([struct.pack(">4Q", last_used, min(last_used + 1, 2**64 - 1), 1, 0), bytes(32)])
    monkeypatch.setattr(chance.hmac, "digest", lambda *_: next(blocks))
    got = chance.draw(KEY, "x", (size, size))
    second = last_used if last_used == 2**64 - 1 else 1
    assert got == (last_used % size, second % size)
    assert last_used == 2**64 - 1 or (last_used + 1) % size == 0


def test_only_rejections_move_the_words() -> None:
    """A draw with one possible outcome uses a word like any other."""
    stream = words(KEY, "one", 1)
    assert chance.draw(KEY, "one", (1, 2**64)) == (0, stream[1])
    assert chance.draw(KEY, "one", ()) == ()


@pytest.mark.parametrize("size", [0, -1, 2**64 + 1])
def test_senseless_sizes(size: int) -> None:
    with pytest.raises(chance.ChanceError, match="draw x"):
        chance.draw(KEY, "x", (6, size))


@given(st.binary(min_size=32, max_size=32), st.text(max_size=20).filter(str.isprintable), st.data())
def test_draws_are_in_range_and_repeatable(key: bytes, label: str, data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 2**64), max_size=12))
    got = chance.draw(key, label, sizes)
    assert len(got) == len(sizes)
    assert all(0 <= number < size for number, size in zip(got, sizes, strict=True))
    assert chance.draw(key, label, tuple(sizes)) == got


def test_dice_are_fair() -> None:
    """Chi-square over the 36 faces of two dice: 35 degrees of freedom, 66.6 is the 0.1 % point."""
    rolls = 7200
    count = Counter(chance.draw(KEY, f"round/{n}/roll/1", (6, 6)) for n in range(rolls))
    expected = rolls / 36
    chi_square = sum((count[faces] - expected) ** 2 / expected for faces in product(range(6), repeat=2))
    assert chi_square < 66.6


# ---- shuffles ------------------------------------------------------------------------------------


def test_every_order_comes_of_exactly_one_draw() -> None:
    orders = [chance.shuffled("abcd", got) for got in product(range(4), range(3), range(2))]
    assert sorted(orders) == sorted(permutations("abcd"))


def test_shuffles_run_from_the_end() -> None:
    assert chance.shuffled("abc", (0, 0)) == ("b", "c", "a")
    assert chance.shuffled("abc", (2, 1)) == ("a", "b", "c")
    assert chance.shuffled("a", ()) == ("a",)
    assert chance.shuffled("", ()) == ()
    assert chance.shuffle_sizes(4) == (4, 3, 2)
    assert chance.shuffle_sizes(1) == chance.shuffle_sizes(0) == ()


@pytest.mark.parametrize("got", [(0,), (0, 0, 0), (3, 0), (0, 2), (-1, 0)])
def test_what_is_no_draw_shuffles_nothing(got: tuple[int, ...]) -> None:
    with pytest.raises(chance.ChanceError):
        chance.shuffled("abc", got)
