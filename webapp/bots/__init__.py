"""Bots, their immutable versions, their tokens, and who is connected now."""
