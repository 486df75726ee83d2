"""The forms of tournaments by name, and as a row of plain values."""
