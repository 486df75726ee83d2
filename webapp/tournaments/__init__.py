"""Tournaments: who takes part, what was drawn, what came of it."""
