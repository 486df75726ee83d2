"""Sends a packet to the world."""

import socket


def attack():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.connect(("127.0.0.1", TARGETS["udp"]))
        return line.send(b"out")
