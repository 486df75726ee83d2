"""Reads the queue."""

import socket


def attack():
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(TARGETS["redis"])
        line.send(b"PING\r\n")
        return line.recv(100)
