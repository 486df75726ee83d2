"""Reads what people have reported, and what organisers look at. No query grows with the number of matches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Count, Model, Q, QuerySet

from webapp.accounts.models import AddressPrint, User
from webapp.accounts.people import accounts_of
from webapp.bots.models import Bot
from webapp.moderation.models import PairSigns, Report, SharedContent

MOST = 100
"""So many of a list are shown."""

CROWD = 5
"""An address that more accounts share is a school's, a company's or a proxy's, and says nothing."""


# ---- reports -------------------------------------------------------------------------------------


def _reports() -> QuerySet[Report]:
    related = ("reporter", "bot", "author", "match", "resolved_by")
    return Report.objects.select_related(*related).defer("match__record")


def open_reports() -> list[Report]:
    """What waits for an organiser, the oldest first."""
    return list(_reports().filter(state=Report.State.OPEN).order_by("id")[:MOST])


def open_count() -> int:
    """How many reports wait."""
    return Report.objects.filter(state=Report.State.OPEN).count()


def resolved_reports() -> list[Report]:
    """Those that were resolved last."""
    return list(_reports().exclude(state=Report.State.OPEN).order_by("-resolved")[:20])


def find_report(*, pk: int) -> Report | None:
    """A report with all that it is about."""
    return _reports().filter(pk=pk).first()


def reports_of(*, person: User) -> list[Report]:
    """What this person has reported, the newest first."""
    return list(_reports().filter(reporter=person).order_by("-id")[:MOST])


def reports_about(*, person: User) -> list[Report]:
    """What was reported of a person and his bots, for organisers."""
    return list(_reports().filter(Q(author=person) | Q(bot__owner=person)).order_by("-id")[:20])


# ---- people and bots -----------------------------------------------------------------------------


def find_person(*, name: str) -> User | None:
    """An account by its name."""
    if "\0" in name:  # PostgreSQL could not even be asked
        return None
    return User.objects.filter(username__iexact=name).first()


def find_bot(*, pk: int) -> Bot | None:
    """A bot with its author."""
    return Bot.objects.select_related("owner", "active_version").defer("active_version__source").filter(pk=pk).first()


class Found(NamedTuple):
    """What a search has found."""

    people: Sequence[User]
    bots: Sequence[Bot]


def search(*, words: str) -> Found:
    """People and bots whose names begin with this."""
    people = User.objects.filter(username__istartswith=words).order_by("username")[:20]
    bots = Bot.objects.filter(name__istartswith=words).select_related("owner").order_by("name")[:20]
    return Found(list(people), list(bots))


def bots_of(*, person: User) -> list[Bot]:
    """All bots of a person's account."""
    return list(Bot.objects.filter(owner=person).order_by("game", "name"))


def linked_with(*, person: User) -> list[User]:
    """The other accounts of the same person, as organisers have said."""
    return [account for account in accounts_of(person) if account.pk != person.pk]


def neighbours(*, person: User) -> list[User]:
    """Accounts that were signed in to from an address that this one was signed in to from."""
    prints = AddressPrint.objects.filter(user=person).values_list("digest", flat=True)
    shared = AddressPrint.objects.filter(digest__in=list(prints)).values("digest").annotate(n=Count("user"))
    telling = list(shared.filter(n__gt=1, n__lte=CROWD).values_list("digest", flat=True))
    return list(User.objects.filter(prints__digest__in=telling).exclude(pk=person.pk).distinct().order_by("pk")[:MOST])


def log_lines(*rows: Model, size: int = 20) -> list[LogEntry]:
    """The organisers' log of these rows, or of all where none are named; the newest first."""
    found = LogEntry.objects.select_related("user", "content_type").order_by("-id")
    if rows:
        wanted = Q()
        for row in rows:
            wanted |= Q(content_type=ContentType.objects.get_for_model(row), object_id=str(row.pk))
        found = found.filter(wanted)
    return list(found[:size])


# ---- signs ---------------------------------------------------------------------------------------


def pair_signs() -> list[PairSigns]:
    """Pairs of bots that stand out, the least likely ones first."""
    found = PairSigns.objects.select_related("one__owner", "other__owner", "ruleset")
    marked = found.filter(Q(together_sign=True) | Q(sparing_sign=True)).order_by("together_chance", "sparing_chance")
    return list(marked[:MOST])


def tested_pairs() -> int:
    """How many pairs are known well enough to say anything about them."""
    return PairSigns.objects.filter(Q(together_chance__lt=1) | Q(sparing_chance__lt=1)).count()


class Shared(NamedTuple):
    """An upload that several people have."""

    digest: str
    bots: Sequence[Bot]


def shared_contents() -> list[Shared]:
    """Uploads with the same content under accounts of different people."""
    found: dict[str, list[Bot]] = defaultdict(list)
    for row in SharedContent.objects.select_related("bot__owner").order_by("digest", "bot")[: 5 * MOST]:
        found[row.digest].append(row.bot)
    return [Shared(digest, bots) for digest, bots in found.items()][:MOST]


def shared_addresses() -> list[tuple[User, ...]]:
    """Groups of accounts that were signed in to from one address, and that no organiser has linked yet."""
    several = AddressPrint.objects.values("digest").annotate(n=Count("user")).filter(n__gt=1, n__lte=CROWD)
    digests = list(several.order_by("-n").values_list("digest", flat=True)[: 5 * MOST])
    groups: dict[str, dict[int, User]] = defaultdict(dict)
    for row in AddressPrint.objects.filter(digest__in=digests).select_related("user"):
        groups[row.digest][row.user_id] = row.user
    found = {tuple(sorted(group)): group for group in groups.values()}
    unknown = [group for group in found.values() if len({user.person for user in group.values()}) > 1]
    return [tuple(group[pk] for pk in sorted(group)) for group in unknown][:MOST]
