"""Bots that play Mia."""
