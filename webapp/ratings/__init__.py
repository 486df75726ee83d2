"""Snapshots of the fitted ratings: derived from the match table, rebuilt at will."""
