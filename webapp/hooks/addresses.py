"""Where hooks may lead: to the public internet, by https. Nothing that only this machine or its network can reach."""

from __future__ import annotations

import ipaddress
import re
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

LONGEST = 300
HTTPS = 443

_HOST = re.compile(r"(?=.{1,253}\Z)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\Z")

_CLOSED_4 = tuple(
    map(
        ipaddress.IPv4Network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
            *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
            *("192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
            *("224.0.0.0/4", "240.0.0.0/4"),
            "168.63.129.16/32",  # public by its number, and the metadata of every machine at Azure
        ),
    )
)
_OPEN_6 = ipaddress.IPv6Network("2000::/3")
"""All that was given to networks so far. What carries an IPv4 address within is outside of it, or closed below."""
_CLOSED_6 = tuple(
    map(
        ipaddress.IPv6Network,
        (
            "2001::/23",  # protocols, Teredo among them
            "2001:db8::/32",
            "2002::/16",  # 6to4
            "2620:4f:8000::/48",
            "3fff::/20",
        ),
    )
)


class BadAddress(Exception):
    """No hook can lead there; the message is for who named it."""


class Target(NamedTuple):
    """An address, taken apart."""

    host: str
    port: int
    path: str
    """With its query."""

    @property
    def authority(self) -> str:
        """What the ``Host`` header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == HTTPS else f"{host}:{self.port}"


def target(url: str) -> Target:
    """An address taken apart.

    Raises:
        BadAddress: it is none that a hook may have. Where its name leads to is not asked here.
    """
    if len(url) > LONGEST or not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise BadAddress(_("An address has at most %(most)d letters, all of them plain ones.") % {"most": LONGEST})
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadAddress(_("This is no address.")) from error
    host = (parts.hostname or "").rstrip(".")
    if parts.scheme != "https" or not host:
        raise BadAddress(_("The address has to begin with https://"))
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise BadAddress(_("Please leave names, passwords and # out of the address: messages are signed."))
    literal = _literal(host)
    if literal is None and not (_HOST.match(host) or _allows_anything()):
        raise BadAddress(_("This is no address."))
    if literal is not None and not allowed(literal):
        raise BadAddress(_("This address does not belong to the public internet."))
    if port not in (None, HTTPS) and not _allows_anything():
        raise BadAddress(_("Hooks use the port of https, 443."))
    path = parts.path or "/"
    return Target(host, port or HTTPS, f"{path}?{parts.query}" if parts.query else path)


def allowed(address: IPv4Address | IPv6Address) -> bool:
    """Whether messages may go to this machine.

    >>> allowed(ipaddress.ip_address("10.0.0.1")), allowed(ipaddress.ip_address("::ffff:8.8.8.8"))
    (False, False)
    """
    for network in settings.ARENA_WEBHOOK_NETWORKS:
        if address in network:
            return True
    if isinstance(address, IPv4Address):
        return address.is_global and not any(address in network for network in _CLOSED_4)
    inside = address.scope_id is None and address in _OPEN_6
    return inside and address.is_global and not any(address in network for network in _CLOSED_6)


def may_be_reached(address: IPv4Address | IPv6Address, port: int) -> bool:
    """The same for a port: another one than that of https only where the installation has opened the network."""
    if port == HTTPS:
        return allowed(address)
    return any(address in network for network in settings.ARENA_WEBHOOK_NETWORKS)


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _allows_anything() -> bool:
    return bool(settings.ARENA_WEBHOOK_NETWORKS)
