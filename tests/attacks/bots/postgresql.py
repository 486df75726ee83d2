"""Talks to the database."""

import socket


def attack():
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(TARGETS["postgresql"])
        line.send(bytes.fromhex("0000000804d2162f"))
        return line.recv(1)
