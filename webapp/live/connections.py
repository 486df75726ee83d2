"""How many may watch, in all and from one address."""

from __future__ import annotations

import ipaddress
from collections import Counter

IPV6_PREFIX = 64
"""What a household gets of IPv6, as everywhere on the site."""


def client_address(peer: str, forwarded: str, proxies: int) -> str:
    """Where a connection comes from; what proxies say of it counts as far as they are ours."""
    hops = [hop.strip() for hop in forwarded.split(",")] if forwarded else []
    named = hops[-proxies] if 0 < proxies <= len(hops) else peer
    try:
        address = ipaddress.ip_address(named)
    except ValueError:
        return named[:64]
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, IPV6_PREFIX), strict=False).network_address)
    return str(address)


class Connections:
    """The open connections, counted."""

    def __init__(self, *, most: int, most_of_address: int) -> None:
        self._most = most
        self._most_of_address = most_of_address
        self._of_address: Counter[str] = Counter()
        self.count = 0

    def enter(self, address: str) -> bool:
        """Count one more; False where it is one too many. A limit of 0 is none."""
        if self._most and self.count >= self._most:
            return False
        if self._most_of_address and self._of_address[address] >= self._most_of_address:
            return False
        self.count += 1
        self._of_address[address] += 1
        return True

    def leave(self, address: str) -> None:
        """Count one less."""
        self.count -= 1
        self._of_address[address] -= 1
        if not self._of_address[address]:
            del self._of_address[address]
