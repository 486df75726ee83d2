"""Connects to an abstract Unix socket, which lies in no folder."""

import socket


def attack():
    with socket.socket(socket.AF_UNIX) as line:
        line.connect("\0" + TARGETS["abstract"])
        return line.recv(100)
