"""Talks to a server on this machine over TCP."""

import socket


def attack():
    with socket.create_connection(("127.0.0.1", TARGETS["port"]), timeout=1) as line:
        return line.recv(100)
