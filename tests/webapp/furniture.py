"""What a site has beside bots and their matches: uploads, quarantine, reports, signs, rulesets of its own, workers."""

from __future__ import annotations

from collections.abc import Sequence
from unittest import mock

from allauth.account.models import EmailAddress
from django.urls import reverse
from django.utils import timezone

from tests.webapp.factories import make_bot, make_match, make_ruleset, make_series, play
from webapp.accounts import keys
from webapp.accounts.models import AddressPrint, User
from webapp.bots.models import Bot, Version
from webapp.comparing.models import Comparison
from webapp.hooks.models import Delivery, Hook
from webapp.matches import own_rulesets
from webapp.matches.models import Entry, EntryLog, Match, Series, SeriesSeat, Worker
from webapp.moderation.models import PairSigns, Report, SharedContent
from webapp.tournaments import running
from webapp.tournaments import services as tournaments
from webapp.tournaments.models import Pairing, Round, Tournament

LAYERS = {"bubblewrap": True, "seccomp": True, "landlock": True, "cgroup": False}
SLOW = "late: no answer; it had 1000 ms to get ready"


def verify(person: User) -> None:
    """Let the person's e-mail address be verified."""
    EmailAddress.objects.create(user=person, email=person.email, primary=True, verified=True)


def workers() -> None:
    """One worker with all walls but one, and one with none."""
    now = timezone.now()
    Worker.objects.create(name="w1", runtime="3.11-0123456", strong=True, layers=LAYERS, last_seen=now)
    Worker.objects.create(
        name="w2", runtime="3.11-0123456", strong=False, why="-", layers=dict.fromkeys(LAYERS, False), last_seen=now
    )


def uploaded(owner: User, house: Sequence[Bot]) -> dict[str, str]:
    """A hosted bot with a version in every state; its author's pages of it."""
    bot = Bot.objects.create(name="builder", game="mia", owner=owner, kind=Bot.Kind.HOSTED)
    made: dict[str, Version] = {}
    for number, (state, reason) in enumerate(
        (
            (Version.State.RETIRED, ""),
            (Version.State.PASSED, ""),
            (Version.State.FAILED, "Match 1: illegal: it must be above 52 (after 1.5 ms)"),
            (Version.State.FAILED, f"It did not begin to play: {SLOW}"),
            (Version.State.VALIDATING, ""),
        ),
        1,
    ):
        source = f"moves = {number}\n".encode()
        version = Version.objects.create(
            bot=bot,
            number=number,
            digest=f"sha256:{number:064x}",
            source=source,
            filename="bot.py",
            size=len(source),
            state=state,
            reason=reason,
        )
        made.setdefault(state, version)
        bot.active_version = version
        kind = {Version.State.VALIDATING: Series.State.WAITING}.get(state, Series.State.FINISHED)
        version.validation = make_series([*house[:2], bot], state=kind, planned=3, purpose="validation", rated=False)
        version.save()
    failed, silent = made[Version.State.FAILED], bot.versions.get(number=4)
    SeriesSeat.objects.filter(version=silent).update(removed=SLOW, output="…")
    bot.active_version = failed
    faulty = make_match([*house[:2], bot], series=failed.validation, leaves=4, rated=False)
    entry = Entry.objects.get(match=faulty, version=failed)
    Entry.objects.filter(pk=entry.pk).update(fault="illegal")
    EntryLog.objects.create(entry=entry, lines=[[3, "…"]], text="…", exchange={"asked": "…", "answered": ""})
    bot.active_version = made[Version.State.PASSED]
    bot.save()
    played = make_match([*house[:2], bot])
    compared: dict[str, str] = {}
    log = EntryLog.objects.create(
        entry=Entry.objects.get(match=played, bot=bot), lines=[[5, "…"]], text="…", exchange={"asked": "…"}
    )
    for state in Comparison.State.values:
        kept = {"elo1": 20, "most": 4000, "matches": 2, "blocks": 1, "total": 1, "squares": 1, "path": [[2, 0.3]]}
        shown = Comparison.objects.create(
            author=owner,
            bot=bot,
            new=made[Version.State.PASSED],
            old=made[Version.State.RETIRED],
            ruleset=played.ruleset,
            state=state,
            **kept,
        )
        compared[f"comparison that is {state}"] = reverse("comparing:one", args=[bot.pk, shown.pk])
    numbers = {f"version that is {state}": version.number for state, version in made.items()}
    return {
        "submit": reverse("bots:submit_new"),
        "submit another": reverse("bots:submit", args=[bot.pk]),
        "uploaded bot": reverse("bots:own", args=[bot.pk]),
        "compared versions": f"{reverse('bots:compare', args=[bot.pk])}?old=1&new=2",
        "the same version": f"{reverse('bots:compare', args=[bot.pk])}?old=2&new=2",
        "version that was silent": reverse("bots:version", args=[bot.pk, silent.number]),
        "comparisons": reverse("comparing:all", args=[bot.pk]),
        **compared,
        "log": reverse("bots:log", args=[bot.pk, played.name, log.entry.seat]),
        "own match": f"/matches/{played.name}/step/5/",
        **{name: reverse("bots:version", args=[bot.pk, number]) for name, number in numbers.items()},
    }


def quarantined(owner: User, house: Sequence[Bot], *, reason: str) -> Bot:
    """A remote bot at fault in two matches and before a third one, which then could not show that it works."""
    bot = make_bot("clumsy", game="mia", owner=owner)
    faulty = [make_match([*house[:2], bot], leaves=3).series_id for _ in range(2)]
    Entry.objects.filter(bot=bot).update(fault="late")
    for entry in Entry.objects.filter(bot=bot):
        EntryLog.objects.create(entry=entry, text="…")
    removed = make_series([*house[:2], bot])
    removed.seats.filter(version__bot=bot).update(removed=SLOW, output="…")
    Version.objects.filter(bot=bot).update(state=Version.State.FAILED, reason=f"It did not begin to play: {SLOW}")
    bot.state, bot.state_reason = Bot.State.QUARANTINED, reason
    bot.faulty_series = [*faulty, removed.pk]
    bot.save()
    return bot


def own_rules(by: User, bots: Sequence[Bot]) -> dict[str, str]:
    """Rulesets that are no preset, one with matches; their pages."""
    shown = {}
    for game, options in (
        ("three_coins", {"start_coins": 4, "coin_cap": 4}),
        ("mia", {"lives": 4}),
        ("commerce", {"ante": 2}),
    ):
        row = own_rulesets.make_ruleset(game=game, preset=None, options=options, title="", by=by).ruleset
        shown[f"{game}: own ruleset"] = reverse("own_ruleset", args=[game, row.digits])
    row = own_rulesets.make_ruleset(game="mia", preset=None, options={"lives": 5}, title="Довга", by=by).ruleset
    played = play([bot.name for bot in bots], match="m", game="mia", options={"lives": 5})
    make_match(bots, ruleset=row, played=played, rated=False)
    make_series(bots, ruleset=row, state=Series.State.WAITING, purpose="exhibition", rated=False)
    return shown | {"own ruleset with matches": reverse("own_ruleset", args=["mia", row.digits])}


def moderated(by: User, author: User, theirs: Bot, mine: Bot, match: Match) -> tuple[dict[str, str], dict[str, str]]:
    """Reports, signs and accounts that know each other; the pages of the author, and those of the organiser ``by``."""
    reports = [
        Report.objects.create(reporter=author, author=theirs.owner, category="collusion", text="…"),
        Report.objects.create(reporter=author, match=match, category="fault", text="…"),
        Report.objects.create(reporter=author, bot=theirs, category="name"),
        Report.objects.create(
            reporter=author,
            bot=theirs,
            category="other",
            text="…",
            state=Report.State.ACTED,
            note="…",
            resolved_by=by,
            resolved=timezone.now(),
        ),
    ]
    other = make_bot("stranger", game="mia", owner=theirs.owner, state=Bot.State.BANNED, state_reason="…", about="…")
    one, two = sorted((mine, theirs), key=lambda bot: bot.pk)
    PairSigns.objects.create(
        one=one,
        other=two,
        ruleset=make_ruleset(game="mia"),
        n=40,
        chances=31,
        doubts=2,
        together_z=5.25,
        together_chance=1e-7,
        together_sign=True,
        sparing_z=1.5,
        sparing_chance=0.1,
    )
    for bot in (one, two):
        SharedContent.objects.create(digest="sha256:" + "0" * 64, bot=bot)
        AddressPrint.objects.create(user=bot.owner, month="2026-01", digest="0" * 64, seen=timezone.now())
    own = {
        "report a bot": reverse("moderation:report_bot", args=[other.pk]),
        "report a bot again": reverse("moderation:report_bot", args=[theirs.pk]),
        "report an author": reverse("moderation:report_author", args=[by.username]),
        "report a match": reverse("moderation:report_match", args=[match.name]),
        "reports": reverse("moderation:mine"),
    }
    desk = {
        "desk": f"{reverse('moderation:desk')}?q=o",
        "nobody found": f"{reverse('moderation:desk')}?q=zzz",
        "signs": reverse("moderation:signs"),
        "banned bot": reverse("moderation:bot", args=[other.pk]),
        "reported bot": reverse("moderation:bot", args=[theirs.pk]),
        "author": reverse("moderation:person", args=[theirs.owner.username if theirs.owner else ""]),
        **{f"report {number}": reverse("moderation:report", args=[one.pk]) for number, one in enumerate(reports)},
    }
    return own, desk


def cups(by: User, bots: Sequence[Bot]) -> dict[str, str]:
    """Tournaments of every form and in every state; their pages."""
    shown = {}
    for name, form, options, rounds in (
        ("Draft", "swiss", {"rounds": 3}, None),
        ("Open", "single", {}, 0),
        ("Autumn", "swiss", {"rounds": 3}, 2),
        ("Winter", "single", {}, 2),
        ("League", "round-robin", {}, 9),
        ("Cup", "single", {}, 9),
    ):
        ruleset = make_ruleset(game=bots[0].game)
        made = tournaments.make_form(form, most=2, ruleset=ruleset, options=options)
        row = tournaments.create(by=by, ruleset=ruleset, form=made, name=name, matches=2)
        tournaments.enter_by_hand(tournament=row, bots=list(bots), by=by)
        shown[f"tournament {name}"] = reverse("tournament", args=[row.slug])
        if rounds is None:
            continue
        tournaments.open_entries(tournament=row, by=by)
        if rounds:
            # chance decides nothing about what is on the pages
            with mock.patch("secrets.token_hex", return_value="0123456789abcdef"):
                tournaments.start(tournament=row, by=by)
            _play_rounds(row, rounds)
    return {"tournaments": reverse("tournaments"), **shown}


def _play_rounds(row: Tournament, rounds: int) -> None:
    """Play the tables of so many rounds but for the last table of the last one, or of all there are."""
    for number in range(1, rounds + 1):
        tables = Pairing.objects.filter(round__tournament=row, round__state=Round.State.PLAYING).order_by("position")
        present = list(tables)
        for table in present[: -1 if number == rounds else None]:
            seats = table.series.seats.select_related("version__bot").order_by("seat")
            bots = [seat.version.bot for seat in seats]
            for match in (1, 2):
                seed = 17 * number + 10 * table.position + match
                make_match(bots, series=table.series, ruleset=row.ruleset, number=match, seed=seed, rated=False)
            Series.objects.filter(pk=table.series_id).update(state=Series.State.FINISHED, finished=timezone.now())
        running.tick()


def webhooks(owner: User, bot: Bot) -> dict[str, str]:
    """A webhook that is on, one that fails and one that is off, with messages in every state; their pages."""
    now = timezone.now()
    pages = {"webhooks": reverse("hooks:hooks")}
    for name, more in (("on", {}), ("failing", {"failing_since": now}), ("off", {"state": Hook.State.OFF})):
        hook = Hook.objects.create(owner=owner, bot=bot, url="https://…", secret="whsec_AA==", **more)
        pages[f"webhook that is {name}"] = reverse("hooks:hook", args=[hook.pk])
        for trouble in Delivery.Trouble.values:
            Delivery.objects.create(hook=hook, name=f"{name} {trouble}", next_try=now, tried=now, trouble=trouble)
        for state in Delivery.State.values:
            Delivery.objects.create(
                hook=hook, name=f"{name} {state}", next_try=now, tried=now, state=state, test=True, tries=2
            )
    return pages


def terminal(owner: User) -> None:
    """A key for the author's terminal."""
    keys.make_key(user=owner)
