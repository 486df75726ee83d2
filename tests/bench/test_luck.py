"""The luck that matches draw is even, and what measures it notices when it is not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from arena import chance
from bench import luck

SEED = b"luck"


def test_dice_are_even() -> None:
    """Rolls of two, through keys and labels as in a match. ``python -m bench.luck`` makes a million."""
    found = luck.dice(SEED, 60_000)
    assert [one.what for one in found] == ["the first die", "the second die", "the two together"]
    assert [(one.draws, one.freedom) for one in found] == [(60_000, 5), (60_000, 5), (60_000, 35)]
    assert all(one.even for one in found), found


def test_lots_are_even_at_every_size() -> None:
    found = luck.lots(SEED, 3_000)
    assert [one.freedom for one in found] == list(range(1, 10))
    assert all(one.even for one in found), found


def test_each_card_is_as_likely_in_each_place() -> None:
    (found,) = luck.decks(SEED, 3_000)
    assert (found.draws, found.freedom) == (3_000, 51 * 51)
    assert found.even, found


def test_uneven_luck_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A die that is loaded in one roll of ten; a shuffle whose last card comes from the lower half."""
    even = chance.draw

    def loaded(key: bytes, label: str, sizes: Sequence[int]) -> tuple[int, ...]:
        got = even(key, label, sizes)
        if sizes == (6, 6) and label.endswith("0/roll/1"):
            return (5, got[1])
        return (got[0] // 2, *got[1:]) if len(sizes) == 51 else got

    monkeypatch.setattr(chance, "draw", loaded)
    assert [one.even for one in luck.dice(SEED, 5_000)] == [False, True, False]
    assert not luck.decks(SEED, 1_000)[0].even
    assert luck.main(["--draws", "4000"]) == 1
    assert "NOT EVEN" in capsys.readouterr().out


def test_luck_that_is_too_even_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dice that go round and round."""
    turns = iter(range(100_000))
    monkeypatch.setattr(chance, "draw", lambda *_: divmod(next(turns) % 36, 6))
    assert not any(one.even for one in luck.dice(SEED, 36_000))


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert luck.main(["--draws", "5000"]) == 0
    told = capsys.readouterr().out
    assert "each card in each place" in told
    assert "NOT" not in told
