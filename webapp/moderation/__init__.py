"""Keeping the peace: reports by people, what organisers do about them, and signs of collusion."""
