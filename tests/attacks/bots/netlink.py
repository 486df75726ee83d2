"""Asks the kernel about its networks."""

import socket


def attack():
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as line:
        return line.fileno()
