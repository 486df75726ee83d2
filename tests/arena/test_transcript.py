"""The transcript in the docs is what the code says today."""

from __future__ import annotations

from pathlib import Path

from arena.local.transcript import transcript


def test_the_page_is_what_would_be_written_now() -> None:
    page = Path(__file__).parents[2] / "docs" / "protocol-transcript.md"
    assert page.read_text() == transcript(), "run python -m arena.local.transcript"
