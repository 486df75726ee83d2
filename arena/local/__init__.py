"""Matches on one's own machine, without a site: planned, played in as many processes as wanted, and counted."""
