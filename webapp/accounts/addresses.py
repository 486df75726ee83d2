"""Network and e-mail addresses, kept only as keyed hashes: enough to know one again, not enough to learn it."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from webapp.accounts.models import AddressPrint, BannedAddress, PrintKey, User

PRINTS_KEPT = timedelta(days=60)
"""How long it is known that two accounts were signed in to from one address."""

IPV6_PREFIX = 64
"""What a household or a server gets of IPv6; within it everybody chooses addresses as he likes."""


# ---- network addresses ---------------------------------------------------------------------------


def client_address(request: HttpRequest) -> str:
    """Where a request comes from; what a proxy says of it counts only where ``TRUSTED_PROXIES`` says so."""
    address = ipaddress.ip_address(get_adapter().get_client_ip(request))
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, IPV6_PREFIX), strict=False).network_address)
    return str(address)


def note_sign_in(*, user: User, address: str, now: datetime | None = None) -> None:
    """Remember that this account was signed in to from this address."""
    now = now or timezone.now()
    month = f"{now:%Y-%m}"
    AddressPrint.objects.update_or_create(user=user, month=month, digest=_print(address, month), defaults={"seen": now})


def print_of(address: str) -> str:
    """What stands for an address this month."""
    return _print(address, f"{timezone.now():%Y-%m}")


def forget_old_prints(now: datetime | None = None) -> int:
    """Delete what is older than `PRINTS_KEPT`, and the keys of the months that are over for so long."""
    before = (now or timezone.now()) - PRINTS_KEPT
    gone, _ = AddressPrint.objects.filter(seen__lt=before).delete()
    PrintKey.objects.filter(month__lt=f"{before:%Y-%m}").delete()
    return gone


def _print(address: str, month: str) -> str:
    """Of the site's secret and the month's: neither a copy of the database nor the site later on can make it again."""
    key, _made = PrintKey.objects.get_or_create(month=month, defaults={"key": secrets.token_hex(32)})
    secret = f"{settings.SECRET_KEY}/{key.key}".encode()
    return hmac.new(secret, address.encode(), hashlib.sha256).hexdigest()


# ---- e-mail addresses ----------------------------------------------------------------------------


def verified_addresses(user: User) -> list[str]:
    """The addresses that are proved to be this person's, the primary one first."""
    found = EmailAddress.objects.filter(user=user, verified=True).order_by("-primary", "pk")
    return list(found.values_list("email", flat=True))


def is_verified(user: User) -> bool:
    """Has this person proved an e-mail address?"""
    return bool(EmailAddress.objects.filter(user=user, verified=True).exists())


def ban_addresses(addresses: Iterable[str]) -> None:
    """Nobody signs up with these any more."""
    BannedAddress.objects.bulk_create(
        (BannedAddress(digest=_digest(address, settings.SECRET_KEY)) for address in addresses), ignore_conflicts=True
    )


def pardon_addresses(addresses: Iterable[str]) -> None:
    """They may be used again."""
    BannedAddress.objects.filter(digest__in=[digest for address in addresses for digest in _digests(address)]).delete()


def is_banned(address: str) -> bool:
    """Was this the address of somebody who is banned?"""
    return BannedAddress.objects.filter(digest__in=_digests(address)).exists()


def _digests(address: str) -> list[str]:
    return [_digest(address, key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]


def _digest(address: str, key: str) -> str:
    name, _at, host = address.strip().casefold().rpartition("@")
    # name+anything@host reaches the same mailbox
    plain = f"{name.partition('+')[0]}@{host}"
    return hmac.new(f"banned/{key}".encode(), plain.encode(), hashlib.sha256).hexdigest()
