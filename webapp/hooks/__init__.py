"""Webhooks: what has happened, told to addresses that authors and organisers name."""
