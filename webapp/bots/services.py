"""Every write to bots, their versions and tokens. Who may do it is asked here, and nowhere else."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.games import GAMES, find_game
from arena.rules import RulesError
from bots import house_bots
from webapp.accounts.audit import write_down
from webapp.accounts.models import User
from webapp.bots.models import FAULTY_SERIES_IN_A_ROW, Bot, Connection, FormerName, Token, Version
from webapp.bots.selectors import ANCHOR, NEW_VERSIONS_A_DAY
from webapp.limits import Limit, TooOften, spend
from webapp.matches.models import EntryLog, SeriesSeat
from webapp.pages.naming import game_title
from webapp.pages.stored import stored

MOST_BOTS = 20
"""How many bots an author can have that are not retired."""

NEW_BOTS = Limit("new_bots", 40, 86_400)
"""How often an author can make a bot. Retiring the ones before makes room for bots, not for names."""

NEW_TOKENS = Limit("new_tokens", 60, 3_600)
"""How often an author can make a token, for whichever bot."""

MOST_TOKENS = 10
"""How many tokens of a bot can be valid at the same time."""

PERSON = "a person"
"""The name under which whoever plays in the browser stands in records and lists."""

LIKE_A_PERSON = frozenset({"aperson", "person", "theperson", "ahuman", "human", "you", "guest"})
"""What no bot may be called, however it is spaced: it would be taken for somebody in the browser."""

LONGEST_LABEL = 60
MOST_TABLES = 16


class BotError(Exception):
    """Something that was asked for cannot be done. The message is written for the person who asked."""


class NotAllowed(BotError):
    """It is not for this person to do."""


class Refused(BotError):
    """It cannot be done like this, whoever asks: a name that is taken, a number out of range."""


class TokenRefused(BotError):
    """A program has shown a token that lets nobody in."""


# ---- bots ----------------------------------------------------------------------------------------


def create_bot(*, owner: User, game: str, name: str, kind: str = Bot.Kind.REMOTE, about: str = "") -> Bot:
    """A new bot of ``owner``.

    Raises:
        NotAllowed: the account is closed.
        Refused: the game is unknown, the name is no name or is taken, or the author has too many bots.
    """
    if not owner.is_active:
        raise NotAllowed(_("This account is closed."))
    try:
        find_game(game)
        title = game_title(game)
    except RulesError as error:
        raise Refused(f"{error}.".capitalize()) from error
    if kind not in (Bot.Kind.HOSTED, Bot.Kind.REMOTE):
        raise Refused(_("A bot is hosted or remote."))
    check_name(name)
    _spend(NEW_BOTS, owner)
    with transaction.atomic():
        _check_room(owner)
        if is_taken(game=game, name=name):
            raise _taken(name, title)
        try:
            with transaction.atomic():
                return Bot.objects.create(owner=owner, game=game, name=name, kind=kind, about=_about(about))
        except IntegrityError as error:
            raise _taken(name, title) from error


def is_taken(*, game: str, name: str) -> bool:
    """Is this the name of a bot, or was it one that an organiser took from a bot?"""
    same = {"game": game, "name__iexact": name}
    return Bot.objects.filter(**same).exists() or FormerName.objects.filter(**same).exists()


def check_name(name: str) -> None:
    """Refuse what cannot be the name of an author's bot.

    Raises:
        Refused: says which rule it breaks.
    """
    # Only letters from A to Z: names stand in addresses, commands and logs, and must not be mistaken for each other.
    if not 2 <= len(name) <= 40:
        raise Refused(_("A bot's name has 2 to 40 characters."))
    if not re.fullmatch(r"[A-Za-z0-9._ -]+", name):
        raise Refused(_("A bot's name is made of letters from A to Z, digits, spaces and the signs . _ -"))
    if not (name[0].isalnum() and name[-1].isalnum()):
        raise Refused(_("A bot's name begins and ends with a letter or a digit."))
    if "  " in name:
        raise Refused(_("A bot's name has no two spaces in a row."))
    plain = re.sub("[^a-z0-9]", "", name.lower())
    if name.lower() in _reserved_names() or plain in LIKE_A_PERSON:
        raise Refused(_("The name %(name)s is kept for the house. Please choose another one.") % {"name": name})


def describe_bot(*, bot: Bot, by: User, about: str) -> None:
    """Change what the bot's page says about it."""
    _check_owner(bot, by)
    bot.about = _about(about)
    bot.save(update_fields=["about"])


def set_max_tables(*, bot: Bot, by: User, max_tables: int) -> None:
    """Change how many tables a remote bot plays at once."""
    _check_owner(bot, by)
    if not 1 <= max_tables <= MOST_TABLES:
        raise Refused(_("A bot plays at 1 to %(most)d tables at once.") % {"most": MOST_TABLES})
    bot.max_tables = max_tables
    bot.save(update_fields=["max_tables"])


def retire_bot(*, bot: Bot, by: User) -> None:
    """Take a bot off the tables and the leaderboards. Its matches stay, and its author can bring it back."""
    _check_owner(bot, by)
    # Stored, so not translated here.
    reason = "Retired by its author." if _owns(by, bot) else "Retired by an organiser."
    _change_state(bot, (Bot.State.ACTIVE, Bot.State.QUARANTINED), Bot.State.RETIRED, reason, by)


def reactivate_bot(*, bot: Bot, by: User) -> None:
    """Bring a bot back: a retired one its author, any other one an organiser whose bot it is not."""
    _check_owner(bot, by)
    judge = by.is_staff and not by.is_of(bot.owner)
    if bot.owner is not None and not bot.owner.is_active:
        raise Refused(_("Its author is shut out, so it would sit nowhere. Let the author in first."))
    idle = (Bot.State.RETIRED, Bot.State.QUARANTINED, Bot.State.BANNED) if judge else (Bot.State.RETIRED,)
    with transaction.atomic():
        if judge:
            Bot.objects.filter(pk=bot.pk, state__in=idle).update(faulty_series=[], counted_since=timezone.now())
        elif bot.owner is not None:
            _check_room(bot.owner)
        bot.refresh_from_db(fields=["faulty_series"])
        if bot.unreliable:
            # retiring it was no way out of quarantine
            why = f"It was at fault in {FAULTY_SERIES_IN_A_ROW} series in a row before it was retired."
            _change_state(bot, idle, Bot.State.QUARANTINED, why, by)
        else:
            _change_state(bot, idle, Bot.State.ACTIVE, "", by)


def ban_bot(*, bot: Bot, by: User, reason: str) -> None:
    """Shut a bot out, for a reason that everybody can read. For organisers."""
    if not (by.is_active and by.is_staff):
        raise NotAllowed(_("This is for organisers."))
    _change_state(bot, (Bot.State.ACTIVE, Bot.State.QUARANTINED, Bot.State.RETIRED), Bot.State.BANNED, reason, by)


def abandon_bots(*, owner: User) -> None:
    """Retire all bots of an author who leaves, and let go of them: nobody will dial in for them again.

    Their sources and what they wrote were for their author alone, and are forgotten.
    """
    mine = Bot.objects.filter(owner=owner)
    Version.objects.filter(bot__in=mine).exclude(source=None).update(source=None)
    EntryLog.objects.filter(entry__bot__in=mine).delete()
    SeriesSeat.objects.filter(version__bot__in=mine).exclude(output="").update(output="")
    Token.objects.filter(bot__in=mine, revoked=None).update(revoked=timezone.now())
    mine.exclude(state=Bot.State.BANNED).update(state=Bot.State.RETIRED, state_reason="Its author has left.")
    mine.update(owner=None)


def _change_state(
    bot: Bot, before: tuple[Bot.State, ...], after: Bot.State, reason: str, by: User | None = None
) -> None:
    """From one of some states into another, whatever somebody else does to the bot at the same time."""
    with transaction.atomic():
        changed = Bot.objects.filter(pk=bot.pk, state__in=before).update(state=after, state_reason=reason[:300])
        bot.refresh_from_db(fields=["state", "state_reason"])
        if changed and by is not None:
            _write_down(by, bot, f"Now {after.value}. {reason}".strip())
    if not changed:
        raise Refused(_is(bot))


def _write_down(by: User, bot: Bot, text: str) -> None:
    """What somebody else than its author does to a bot is kept in the organisers' log."""
    if not _owns(by, bot):
        write_down(by=by, rows=[bot], text=text)


def _spend(limit: Limit, by: User) -> None:
    try:
        spend(limit, who=by.pk)
    except TooOften as error:
        raise Refused(str(error)) from error


def _check_room(owner: User) -> None:
    # The lock makes those who create at the same time wait for each other, so that all of them are counted.
    User.objects.select_for_update().get(pk=owner.pk)
    if Bot.objects.filter(owner=owner).exclude(state=Bot.State.RETIRED).count() >= MOST_BOTS:
        raise Refused(
            _("An author can have %(most)d bots that are not retired. Retire one of them first.") % {"most": MOST_BOTS}
        )


def _check_owner(bot: Bot, by: User) -> None:
    if not by.is_active or not (by.is_staff or _owns(by, bot)):
        raise NotAllowed(_("This bot is somebody else's."))


def _owns(person: User, bot: Bot) -> bool:
    return bot.owner_id is not None and bot.owner_id == person.pk


def _about(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > 300:
        raise Refused(_("What is said about a bot has at most 300 characters."))
    return text


def _taken(name: str, title: str) -> Refused:
    return Refused(
        _("There is already a bot called %(name)s in %(game)s, be it in capitals or not.")
        % {"name": name, "game": title}
    )


def _is(bot: Bot) -> str:
    """The bot's state, in a sentence, and the reason for it."""
    said = _("%(bot)s is %(state)s.") % {"bot": bot.name, "state": bot.get_state_display()}
    return f"{said} {stored(bot.state_reason)}".strip()


# ---- tokens --------------------------------------------------------------------------------------


def issue_token(*, bot: Bot, by: User) -> str:
    """A new token that lets a program dial in as the bot. It is returned this once, and only its hash is kept."""
    if not (by.is_active and _owns(by, bot)):
        raise NotAllowed(_("Only its author makes tokens for a bot."))
    if bot.kind != Bot.Kind.REMOTE:
        raise Refused(_("A hosted bot runs here and needs no token."))
    if bot.state in (Bot.State.RETIRED, Bot.State.BANNED):
        raise Refused(_is(bot))
    _spend(NEW_TOKENS, by)
    token = "ba_" + secrets.token_urlsafe(32)
    with transaction.atomic():
        Bot.objects.select_for_update().get(pk=bot.pk)
        if bot.tokens.filter(revoked=None).count() >= MOST_TOKENS:
            raise Refused(
                _("A bot has at most %(most)d tokens. Revoke one that is not in use.") % {"most": MOST_TOKENS}
            )
        Token.objects.create(bot=bot, digest=_hash(token), hint=token[-4:])
    return token


def revoke_token(*, token: Token, by: User) -> None:
    """Let nobody in with this token any more, and send away the lines that wait. What is being played is played on.

    Nobody knows which token a line came in with, so all of the bot's go; those with another token dial in again.
    """
    _check_owner(token.bot, by)
    with transaction.atomic():
        if Token.objects.filter(pk=token.pk, revoked=None).update(revoked=timezone.now()):
            Connection.objects.filter(bot=token.bot, state=Connection.State.WAITING).delete()
            _write_down(by, token.bot, f"Revoked the token that ends in {token.hint}.")
    token.refresh_from_db(fields=["revoked"])


def authenticate(token: str) -> Bot:
    """The bot that a program may dial in for with this token.

    Raises:
        TokenRefused: says why not, without telling anything to who has guessed.
    """
    # What is looked up is the hash of 32 random bytes: how long that takes tells nothing about any token.
    found = Token.objects.select_related("bot__owner").filter(digest=_hash(token)).first()
    if found is None:
        raise TokenRefused(_("There is no such token. Tokens begin with ba_; make one on the bot's page."))
    if found.revoked is not None:
        raise TokenRefused(_("This token was revoked. Make a new one on the bot's page."))
    if refusal := why_not_seated(found.bot):
        raise TokenRefused(refusal)
    now = timezone.now()
    # Once a minute is often enough to know, and does not make every hello wait for a write.
    stale = Q(last_used=None) | Q(last_used__lt=now - timedelta(minutes=1))
    Token.objects.filter(stale, pk=found.pk).update(last_used=now)
    return found.bot


def why_not_seated(bot: Bot) -> str:
    """Why no program may play as this bot, in a sentence; empty where one may."""
    if bot.kind != Bot.Kind.REMOTE:
        return _("%(bot)s is a hosted bot: it runs here, and nobody dials in for it.") % {"bot": bot.name}
    if bot.state in (Bot.State.RETIRED, Bot.State.BANNED):
        return _is(bot)
    if bot.owner is None or not bot.owner.is_active:
        return _("The account of the author of %(bot)s is closed.") % {"bot": bot.name}
    return ""


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


# ---- versions ------------------------------------------------------------------------------------


def declare_version(*, bot: Bot, label: str) -> Version:
    """The version of a remote bot that its author calls ``label``, from now on the active one. Empty counts as "1".

    Raises:
        Refused: the label cannot be one, or there were too many new ones today.
    """
    label = label.strip() or "1"
    if len(label) > LONGEST_LABEL or not label.isprintable():
        raise Refused(
            _("A version's label has at most %(most)d characters, all of them printable.") % {"most": LONGEST_LABEL}
        )
    if bot.kind != Bot.Kind.REMOTE:
        raise Refused(_("The version of a hosted bot is its content."))
    digest = "sha256:" + hashlib.sha256(f"{bot.pk}/{label}".encode()).hexdigest()
    with transaction.atomic():
        locked = Bot.objects.select_for_update().get(pk=bot.pk)
        version = bot.versions.filter(digest=digest).first()
        if version is None:
            day = timezone.now() - timedelta(days=1)
            if bot.versions.filter(created__gt=day).count() >= NEW_VERSIONS_A_DAY:
                said = _(
                    "%(bot)s has declared %(most)d new versions within a day. "
                    "Use one of those labels again, or wait until tomorrow."
                )
                raise Refused(said % {"bot": bot.name, "most": NEW_VERSIONS_A_DAY})
            version = Version.objects.create(
                bot=bot, digest=digest, number=_next_number(bot), label=label, declared=True
            )
        _make_active(locked, version)
    bot.active_version = version
    return version


def _next_number(bot: Bot) -> int:
    newest = bot.versions.order_by("-number").values_list("number", flat=True).first()
    return (newest or 0) + 1


def _make_active(bot: Bot, version: Version) -> bool:
    if bot.active_version_id == version.pk:
        return False
    bot.active_version = version
    bot.save(update_fields=["active_version"])
    return True


# ---- the house -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HouseBots:
    """What `ensure_house_bots` has done, for the person at the terminal."""

    created: tuple[str, ...]
    updated: tuple[str, ...]
    warnings: tuple[str, ...]


def ensure_house_bots() -> HouseBots:
    """A bot for every file of the house, playing what the file says now. Safe to run again, and twice at a time."""
    created: list[str] = []
    updated: list[str] = []
    warnings: list[str] = []
    for game in GAMES:
        for name, path in house_bots(game).items():
            label = f"{game}/{name}"
            source = path.read_bytes()
            new = {"name": name, "house": True, "kind": Bot.Kind.HOSTED, "about": _first_line(source)}
            bot, made = Bot.objects.get_or_create(game=game, name__iexact=name, defaults=new)
            if not bot.house:
                warnings.append(f"{label}: an author's bot has this name already; the house bot does not play")
                continue
            with transaction.atomic():
                locked = Bot.objects.select_for_update().get(pk=bot.pk)
                digest = "sha256:" + hashlib.sha256(source).hexdigest()
                version = locked.versions.defer("source").filter(digest=digest).first()
                if name == ANCHOR and version is None and locked.versions.exists():
                    warnings.append(
                        f"{label}: the file has changed, but the ratings are measured from its first version, "
                        "which goes on playing"
                    )
                    continue
                if version is None:
                    version = Version.objects.create(
                        bot=locked, digest=digest, number=_next_number(locked), source=source, filename=path.name
                    )
                if _make_active(locked, version):
                    (created if made else updated).append(label)
    return HouseBots(tuple(created), tuple(updated), tuple(warnings))


def person_version(*, game: str) -> Version:
    """What stands for whoever plays this game in the browser: a version like any other for records and entries.

    It has no source, is no bot's active one, and belongs to the house, so that nobody seats, rates or judges it.
    """
    about = "Whoever sits down at a table in the browser."
    bot, _made = Bot.objects.get_or_create(
        game=game, kind=Bot.Kind.PERSON, defaults={"name": PERSON, "house": True, "about": about}
    )
    digest = "sha256:" + hashlib.sha256(PERSON.encode()).hexdigest()
    version, _made = Version.objects.get_or_create(bot=bot, digest=digest, defaults={"number": 1})
    return version


def _reserved_names() -> frozenset[str]:
    words = {"arena", "house", "admin", "organiser", "organizer", "anonymous", "nobody", "player", "seat"}
    return frozenset(words | {name for game in GAMES for name in house_bots(game)} | {ANCHOR})


def _first_line(source: bytes) -> str:
    """What the file says about itself: the first line of its docstring."""
    found = re.match(rb'(?:\s|#[^\n]*\n)*[rR]?"""\s*([^\n"]+)', source)
    return found[1].decode(errors="replace").strip()[:300] if found else ""
