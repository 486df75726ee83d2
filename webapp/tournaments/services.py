"""Preparing a tournament, entering it, leaving it, and its start. Each asks who may."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from arena.pairing import FORMATS, Format, FormatError, read_format, write_format
from arena.pairing.luck import commitment
from webapp.accounts.audit import write_down
from webapp.accounts.models import User
from webapp.bots.models import Bot, Version
from webapp.matches.models import Ruleset
from webapp.matches.rulesets import rules_of
from webapp.pages.naming import game_title
from webapp.ratings.selectors import leaderboard
from webapp.tournaments.advancing import advance
from webapp.tournaments.asking import NotAllowed, Refused, check_organiser, locked, refused
from webapp.tournaments.models import Entrant, Tournament

log = logging.getLogger(__name__)

MOST_MATCHES = 60
"""Of a series: a worker plays it in one sitting."""

MOST_ENTRANTS = 300

SECRET_BYTES = 32

EVERY = {Tournament.Every.DAY: timedelta(days=1), Tournament.Every.WEEK: timedelta(weeks=1)}

BEFORE = (Tournament.State.DRAFT, Tournament.State.OPEN)


# ---- preparing ------------------------------------------------------------------------------------


def make_form(name: str, *, most: int, ruleset: Ruleset, options: Mapping[str, int | None]) -> Format:
    """A form of tournament for tables of up to ``most`` in this ruleset.

    Args:
        name: one of `FORMATS`.
        most: the largest table.
        ruleset: what is played.
        options: what else there is to say of it; what a form does not know, or is None, is left out.

    Raises:
        Refused: there is no such form, or it cannot be played in this ruleset.
    """
    kind = FORMATS.get(name)
    if kind is None:
        raise Refused(_("There is no such form of tournament."))
    players = rules_of(ruleset).players
    least = max(2, players[0])
    if not least <= most <= players[-1]:
        raise Refused(
            _("This ruleset is played at tables of %(least)d to %(most)d.") % {"least": least, "most": players[-1]}
        )
    known = {field: value for field, value in options.items() if field in kind.__dataclass_fields__ and value}
    if name == "swiss":  # only of this one it has to be said; that none are too few, it says itself
        known.setdefault("rounds", 0)
    try:
        form: Format = kind(**{**known, "least": least, "most": most})
        if name != "groups":  # how many of these there must be depends on how many go on
            form.check(MOST_ENTRANTS if name in ("swiss", "round-robin") else least)
    except FormatError as error:
        raise refused(error) from error
    return form


SETTLED = (
    "name",
    "matches",
    "move_ms",
    "bank_ms",
    "patience_s",
    "most_each",
    "fill_top",
    "deadline",
    "starts_at",
    "every",
)
"""What an organiser says of a tournament beside its ruleset and its form."""

LIMITS = {
    "matches": (1, MOST_MATCHES),
    "move_ms": (50, 60_000),
    "bank_ms": (0, 600_000),
    "patience_s": (5, 3600),
    "most_each": (1, 20),
    "fill_top": (0, 100),
}


@transaction.atomic
def create(*, by: User, ruleset: Ruleset, form: Format, **settled: Any) -> Tournament:
    """A draft of a tournament.

    Raises:
        NotAllowed: it is not for this person to do.
        Refused: it cannot be played like that.
    """
    check_organiser(by)
    _check(settled, None)
    row = _addressed(settled["name"], ruleset=ruleset, form=write_format(form), organiser=by, **settled)
    write_down(by=by, rows=[row], text="Prepared.")
    return row


@transaction.atomic
def edit(*, tournament: Tournament, by: User, ruleset: Ruleset, form: Format, **settled: Any) -> None:
    """Change a tournament that has not begun. With entries, its game stays the same.

    Raises:
        NotAllowed, Refused: as `create`.
    """
    check_organiser(by)
    row = _before(tournament)
    _check(settled, row)
    if row.ruleset.game != ruleset.game and row.entrants.exists():
        raise Refused(_("Bots have entered already, which play %(game)s.") % {"game": game_title(row.ruleset.game)})
    for name, value in {**settled, "ruleset": ruleset, "form": write_format(form)}.items():
        setattr(row, name, value)
    row.save()
    write_down(by=by, rows=[row], text="Changed.")


def _check(settled: Mapping[str, Any], row: Tournament | None) -> None:
    name = settled.get("name", "")
    if not name.isprintable():  # it stands in the subject of letters, too
        raise Refused(_("A name is one line of signs that can be seen."))
    if not name.strip() or len(name) > 60 or not slugify(name, allow_unicode=False):
        raise Refused(_("Give it a name of at most 60 characters, with Latin letters or digits in it."))
    for field, (low, high) in LIMITS.items():
        if field in settled and not low <= settled[field] <= high:
            raise Refused(_("%(field)s: from %(low)d to %(high)d.") % {"field": field, "low": low, "high": high})
    for field in ("deadline", "starts_at"):
        moment = settled.get(field)
        # what has passed since it was said may stay as it is
        if moment is not None and moment <= timezone.now() and (row is None or getattr(row, field) != moment):
            raise Refused(_("This moment has passed already."))
    deadline, starts = settled.get("deadline"), settled.get("starts_at")
    if deadline and starts and deadline > starts:
        raise Refused(_("Entries end before it starts, not after."))
    if settled.get("every") and not starts:
        raise Refused(_("What is held again and again has a time to start."))


def _slug(name: str) -> str:
    slug = plain = slugify(name)[:70]
    number = 1
    while slug == "new" or Tournament.objects.filter(slug=slug).exists():  # there the form for a new one is
        number += 1
        slug = f"{plain}-{number}"
    return slug


def _addressed(after: str, **fields: Any) -> Tournament:
    """A new row, with an address after this name; with the next one where somebody takes that at the same moment."""
    for _again in range(5):
        try:
            with transaction.atomic():
                return Tournament.objects.create(slug=_slug(after), **fields)
        except IntegrityError:
            continue
    return Tournament.objects.create(slug=_slug(after), **fields)


def _before(tournament: Tournament) -> Tournament:
    row = locked(tournament)
    if row.state not in BEFORE:
        raise Refused(_("It has begun, or is over."))
    return row


@transaction.atomic
def open_entries(*, tournament: Tournament, by: User) -> None:
    """Let authors enter their bots.

    Raises:
        NotAllowed, Refused: as `create`.
    """
    check_organiser(by)
    row = _before(tournament)
    row.state = Tournament.State.OPEN
    row.save(update_fields=["state"])
    write_down(by=by, rows=[row], text="Opened for entries.")


# ---- entering and leaving -------------------------------------------------------------------------


@transaction.atomic
def enter(*, tournament: Tournament, bot: Bot, by: User) -> Entrant:
    """An author enters the active version of a bot; once more, and the version is the one that is active now.

    Raises:
        NotAllowed: the bot is not his.
        Refused: entries are not open, or this bot cannot take part.
    """
    if not by.is_active or bot.owner_id != by.pk:
        raise NotAllowed(_("This bot is not yours."))
    row = locked(tournament)
    if row.state != Tournament.State.OPEN or (row.deadline is not None and timezone.now() >= row.deadline):
        raise Refused(_("Entries are not open."))
    mine = row.entrants.filter(Q(bot__owner__pk=by.person) | Q(bot__owner__linked_to=by.person))
    if mine.exclude(bot=bot).count() >= row.most_each:
        raise Refused(_("You may enter %(most)d at most.") % {"most": row.most_each})
    return admit(row, bot)


@transaction.atomic
def enter_by_hand(*, tournament: Tournament, bots: Sequence[Bot], by: User) -> list[Entrant]:
    """An organiser enters the active versions of bots, the house's or authors'.

    Raises:
        NotAllowed: it is not for this person to do.
        Refused: it has begun, or one of the bots cannot take part; then nobody was entered.
    """
    check_organiser(by)
    row = _before(tournament)
    made = [admit(row, bot) for bot in bots]
    write_down(by=by, rows=[row], text=f"Entered: {', '.join(bot.name for bot in bots)}.")
    return made


@transaction.atomic
def enter_top(*, tournament: Tournament, count: int, by: User) -> list[Entrant]:
    """An organiser enters the best bots of the leaderboard of its ruleset.

    Raises:
        NotAllowed, Refused: as `enter_by_hand`.
    """
    check_organiser(by)
    row = _before(tournament)
    return enter_by_hand(tournament=row, bots=_top(row, count), by=by)


def _top(row: Tournament, count: int) -> list[Bot]:
    """The best that can take part: a bot whose author is shut out stands on the leaderboard, but sits nowhere."""
    passed = (one.bot for one in leaderboard(ruleset=row.ruleset) if one.version.state == Version.State.PASSED)
    active = (bot for bot in passed if bot.state == Bot.State.ACTIVE)
    return [bot for bot in active if bot.owner is None or bot.owner.is_active][:count]


def admit(row: Tournament, bot: Bot) -> Entrant:
    """Enter the active version of a bot; one that is in already takes part with it. Under the tournament's lock.

    Raises:
        Refused: it cannot take part.
    """
    bot = Bot.objects.select_related("active_version", "owner").get(pk=bot.pk)
    version = bot.active_version
    if bot.game != row.ruleset.game:
        raise Refused(_("%(bot)s plays another game.") % {"bot": bot.name})
    if bot.state != Bot.State.ACTIVE or version is None or (bot.owner is not None and not bot.owner.is_active):
        raise Refused(_("%(bot)s is not active.") % {"bot": bot.name})
    if version.state != Version.State.PASSED:
        raise Refused(_("This version of %(bot)s has not passed its validation.") % {"bot": bot.name})
    entrant, made = Entrant.objects.get_or_create(tournament=row, bot=bot, defaults={"version": version})
    if made and row.entrants.count() > MOST_ENTRANTS:
        raise Refused(_("At most %(most)d bots take part in a tournament.") % {"most": MOST_ENTRANTS})
    if not made and entrant.version_id != version.pk:
        entrant.version = version
        entrant.save(update_fields=["version"])
    return entrant


@transaction.atomic
def withdraw(*, entrant: Entrant, by: User) -> None:
    """An author (or an organiser for him) takes a bot out. Before the start it has never been there.

    The series that it is playing is played to its end; it is not drawn any more.

    Raises:
        NotAllowed: the bot is not his.
        Refused: the tournament is over, or the bot has left already.
    """
    organiser = by.is_active and by.is_staff
    own = entrant.bot.owner_id is not None and entrant.bot.owner_id == by.pk and by.is_active
    if not (organiser or own):
        raise NotAllowed(_("This bot is not yours."))
    row = locked(entrant.tournament)
    _renew(entrant)
    if row.state in BEFORE:
        name = entrant.bot.name
        entrant.delete()
        if not own:
            write_down(by=by, rows=[row], text=f"Taken out: {name}.")
        return
    leave(row, entrant, reason="It was withdrawn.")
    write_down(by=by, rows=[row], text=f"Withdrawn: {entrant.bot.name}.")


def _renew(entrant: Entrant) -> None:
    """As it is now: between the question for it and the tournament's lock, somebody else may have taken it out.

    Raises:
        Refused: somebody has.
    """
    try:
        entrant.refresh_from_db()
    except Entrant.DoesNotExist as error:
        raise Refused(_("%(bot)s has left already.") % {"bot": entrant.bot.name}) from error


def leave(row: Tournament, entrant: Entrant, *, reason: str, disqualified: bool = False) -> None:
    """From the next round on the entrant is not drawn. Under the tournament's lock.

    Raises:
        Refused: the tournament does not run, or it has left already.
    """
    if row.state != Tournament.State.RUNNING:
        raise Refused(_("The tournament is not being played."))
    _renew(entrant)
    if entrant.disqualified or (entrant.until is not None and not disqualified):
        raise Refused(_("%(bot)s has left already.") % {"bot": entrant.bot.name})
    # whoever has left keeps the round of it: rounds that were drawn since were drawn without
    entrant.until = entrant.until or row.rounds.count() + 1
    entrant.disqualified, entrant.reason = disqualified, reason[:300]
    entrant.save(update_fields=["until", "disqualified", "reason"])


# ---- the start ------------------------------------------------------------------------------------


@transaction.atomic
def start(*, tournament: Tournament, by: User | None) -> None:
    """Settle who takes part and the luck, publish the commitment, and draw the first round.

    Args:
        tournament: which one.
        by: an organiser; None: the scheduler, because it is time.

    Raises:
        NotAllowed: it is not for this person to do.
        Refused: it has begun, or it cannot be played with these entrants.
    """
    if by is not None:
        check_organiser(by)
    row = _before(tournament)
    if by is None and (row.state != Tournament.State.OPEN or row.starts_at is None or row.starts_at > timezone.now()):
        raise Refused(_("It is not due."))
    _leave_out(row)
    _fill(row)
    _seed(row)
    try:
        form = _newest(row)
        form.check(row.entrants.count())
    except FormatError as error:
        raise refused(error) from error
    row.form = write_format(form)
    secret = secrets.token_bytes(SECRET_BYTES)
    row.secret, row.commitment = secret, commitment(secret).hex()
    row.draw_seed = secrets.token_hex(8)
    row.state, row.started = Tournament.State.RUNNING, timezone.now()
    row.save(update_fields=["form", "secret", "commitment", "draw_seed", "state", "started"])
    if by is not None:
        write_down(by=by, rows=[row], text="Started.")
    _make_next(row)
    advance(tournament=row)


def _newest(row: Tournament) -> Format:
    """Its form by the rules of today, by which it is then played to its end."""
    return read_format({name: value for name, value in row.form.items() if name != "rules"})


def _fill(row: Tournament) -> None:
    """Enter the best of the leaderboard, as far as there is room: what is full can be played all the same.

    One that is entered already plays as it was entered.
    """
    entered = set(row.entrants.values_list("bot", flat=True))
    for bot in [bot for bot in _top(row, row.fill_top) if bot.pk not in entered][: MOST_ENTRANTS - len(entered)]:
        admit(row, bot)


def _leave_out(row: Tournament) -> None:
    """Those who cannot be seated now have never entered."""
    gone = ~Q(bot__state=Bot.State.ACTIVE) | Q(bot__owner__is_active=False)
    row.entrants.filter(gone).delete()


def _seed(row: Tournament) -> None:
    """Rank them: who was given a rank by hand, then by the leaderboard, then in the order of their entry."""
    elo = {one.version.pk: one.elo for one in leaderboard(ruleset=row.ruleset)}
    entrants = sorted(
        row.entrants.all(),
        key=lambda one: (one.rank is None, one.rank or 0, -elo.get(one.version_id, float("-inf")), one.pk),
    )
    for rank, entrant in enumerate(entrants, start=1):
        entrant.rank = rank
    Entrant.objects.bulk_update(entrants, ["rank"])


def _make_next(row: Tournament) -> None:
    """The next one of those that are held again and again; those whose time has passed already are left out."""
    if not row.every or row.starts_at is None:
        return
    pause = EVERY[Tournament.Every(row.every)]
    starts = row.starts_at + pause
    while starts <= timezone.now():
        starts += pause
    ends = None if row.deadline is None else starts - (row.starts_at - row.deadline)
    same = {name: getattr(row, name) for name in SETTLED}
    _addressed(
        _dated(row.name, starts),
        **{**same, "starts_at": starts, "deadline": ends},
        ruleset=row.ruleset,
        form=row.form,
        organiser=row.organiser,
        state=Tournament.State.OPEN,
    )
    row.every = Tournament.Every.NEVER  # the next one goes on with it
    row.save(update_fields=["every"])


def _dated(name: str, starts: datetime) -> str:
    return f"{slugify(name)[:58]}-{starts:%Y-%m-%d}"


def start_due() -> int:
    """Start what is due; how many. What cannot be played is cancelled, and says why."""
    started = 0
    due = Tournament.objects.filter(state=Tournament.State.OPEN, starts_at__lte=timezone.now())
    for row in due.order_by("starts_at", "pk"):
        try:
            start(tournament=row, by=None)
            started += 1
        except Refused as why:
            # as the form says it, so that pages can say it in other languages
            _call_off(row, str(why.__cause__ if isinstance(why.__cause__, FormatError) else why))
        except Exception:
            log.exception("tournament %s did not start", row.slug)
    return started


@transaction.atomic
def _call_off(tournament: Tournament, why: str) -> None:
    row = locked(tournament)
    if row.state != Tournament.State.OPEN:
        return  # another scheduler was first
    row.state, row.note, row.finished = Tournament.State.CANCELLED, f"It could not start: {why}"[:300], timezone.now()
    row.save(update_fields=["state", "note", "finished"])
    _make_next(row)
