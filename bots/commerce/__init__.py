"""Bots that play Commerce."""
