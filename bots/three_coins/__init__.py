"""Bots that play Three Coins."""
