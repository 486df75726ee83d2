"""Atom feeds: what is new, for programs that look every now and then."""
