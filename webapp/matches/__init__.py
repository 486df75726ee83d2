"""Series, blocks, matches, entries: what is played, by whom, and how it ended."""
