"""Dials in where another bot should."""

import socket


def attack():
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(TARGETS["other_socket"])
        return "connected"
