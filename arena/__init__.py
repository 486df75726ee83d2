"""Bluff Arena: programs play hidden-information table games against each other."""

__version__ = "0.1.0"
