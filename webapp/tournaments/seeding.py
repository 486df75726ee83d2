"""Who is the favourite, and who comes late: for organisers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from webapp.accounts.audit import write_down
from webapp.accounts.models import User
from webapp.bots.models import Bot
from webapp.tournaments.asking import Refused, check_organiser, locked
from webapp.tournaments.models import Entrant, Tournament
from webapp.tournaments.selectors import takes_late_entries
from webapp.tournaments.services import BEFORE, MOST_ENTRANTS, admit


@transaction.atomic
def seed(*, tournament: Tournament, ranks: Mapping[int, int | None], by: User) -> None:
    """Give entrants a rank by hand, 1 the favourite, before the start; None takes it away.

    Who has none comes after those who have, by the leaderboard.

    Args:
        tournament: which one.
        ranks: by the id of the entrant; who is not named keeps what it has.
        by: an organiser.

    Raises:
        NotAllowed: it is not for this person to do.
        Refused: it has begun, a rank is none, two have the same, or one of these is no entrant.
    """
    check_organiser(by)
    row = locked(tournament)
    if row.state not in BEFORE:
        raise Refused(_("It has begun, or is over."))
    entrants = {one.pk: one for one in row.entrants.all()}
    if not set(ranks) <= set(entrants):
        raise Refused(_("There is no such thing in this tournament."))
    for pk, rank in ranks.items():
        if rank is not None and not 1 <= rank <= MOST_ENTRANTS:
            raise Refused(_("A rank is a whole number from 1 to %(most)d.") % {"most": MOST_ENTRANTS})
        entrants[pk].rank = rank
    given = [one.rank for one in entrants.values() if one.rank is not None]
    if len(set(given)) < len(given):
        raise Refused(_("Two bots have the same rank."))
    Entrant.objects.bulk_update(entrants.values(), ["rank"])
    write_down(by=by, rows=[row], text="Seeded by hand.")


@transaction.atomic
def enter_late(*, tournament: Tournament, bots: Sequence[Bot], by: User) -> list[Entrant]:
    """Enter bots in a Swiss tournament that has begun: they are drawn from the next round on, the last of the seeding.

    Raises:
        NotAllowed: it is not for this person to do.
        Refused: this tournament takes nobody any more, or one of the bots cannot take part; then nobody was entered.
    """
    check_organiser(by)
    row = locked(tournament)
    if not takes_late_entries(tournament=row):
        raise Refused(_("Nobody can enter this tournament any more."))
    there = row.entrants.filter(bot__in=bots).select_related("bot").first()
    if there is not None:
        raise Refused(_("%(bot)s has taken part already.") % {"bot": there.bot.name})
    last = row.entrants.aggregate(last=Max("rank"))["last"] or 0
    made = []
    for rank, bot in enumerate(bots, start=last + 1):
        entrant = admit(row, bot)
        entrant.rank, entrant.since = rank, row.rounds.count() + 1
        entrant.save(update_fields=["rank", "since"])
        made.append(entrant)
    write_down(by=by, rows=[row], text=f"Entered late: {', '.join(bot.name for bot in bots)}.")
    return made
