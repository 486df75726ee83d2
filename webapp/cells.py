"""Names that somebody has chosen, in tables for spreadsheets."""

from __future__ import annotations


def in_a_cell(text: str) -> str:
    """A name as a spreadsheet shows it: one that it would take for a formula has an apostrophe before it.

    >>> in_a_cell("=1+1"), in_a_cell("brave")
    ("'=1+1", 'brave')
    """
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
