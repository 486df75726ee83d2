"""What a replay notes of claims, doubts and tries: the whole truth to who sees everything, to others what they know."""

from __future__ import annotations

import pytest
from django.test import Client

from arena.games import GAMES
from arena.insight import insight
from arena.record import Record
from arena.rules import OMNISCIENT, PUBLIC, at_seat
from arena.verify import frames
from tests.webapp.factories import make_bot, make_match, play
from tests.webapp.replays import at
from webapp.matches.drawing import drawing

PRESETS = [(game.name, preset.name) for game in GAMES.values() for preset in game.presets]
SCRIPT = ({0: "roll"}, {0: "say 65"}, {1: "challenge"})


def bluff() -> Record:
    """Three lives, and a bluff that is caught at the fourth step: the first is the roll, then fall the dice."""
    return play(
        ["mirror", "shy", "honest"],
        match="m-1",
        game="mia",
        options={"first_starter": "seat"},
        luck={"round/1/roll/1": (2, 0)},
        script=SCRIPT,
        seed=4,
    )


def plain(notes: tuple[str, ...]) -> list[str]:
    return [note.replace("\u00a0", " ") for note in notes]


@pytest.mark.parametrize(("game", "preset"), PRESETS)
def test_the_truth_is_that_of_the_pictures(game: str, preset: str) -> None:
    drawn = drawing(game)
    assert drawn is not None
    players = 2 if preset == "duel" else 4
    options = {"hands": 3} if game == "commerce" else {}
    record = play("abcd"[:players], match="m-1", game=game, preset=preset, options=options, seed=8)
    for viewer in (OMNISCIENT, PUBLIC, at_seat(0)):
        seen = tuple(frames(record, viewer))
        notes = {note.step: note for note in insight(game, seen, record.steps).notes}
        for step, frame in enumerate(seen):
            for event in frame.events:
                truth = drawn.truth(frame.view, event)
                if truth in ("true", "bluff", "unseen", "right", "wrong", "given"):
                    assert notes[step].truth == truth
                elif step in notes and notes[step].kind in ("claim", "doubt") and truth is not None:
                    assert notes[step].truth is None


def test_who_sees_everything_is_told_how_true_and_how_likely() -> None:
    lines = at(bluff(), "everything", 4).story[0].lines
    assert [(line.text, line.mark_words) for line in lines[1:]] == [
        ("mirror rolls 31, says 65", "bluff by 13 steps"),
        ("shy does not believe it", "right"),
    ]
    assert plain(lines[1].notes) == ["28 % of rolls reach it"]
    assert plain(lines[2].notes) == [
        "Had a chance of 72 %",
        "Under the cup: 31; mirror loses a life",
        "mirror's chance to win goes from 33 % to 20 %",
    ]


@pytest.mark.parametrize(("key", "words"), [("public", ""), ("0", "bluff by 13 steps"), ("1", ""), ("2", "")])
def test_others_are_told_what_they_know(key: str, words: str) -> None:
    claim = at(bluff(), key, 3).story[0].lines[-1]
    assert claim.mark_words == words
    assert plain(claim.notes) == ["28 % of rolls reach it"]
    doubt = at(bluff(), key, 4).story[0].lines[-1]
    assert not any("to win" in note for note in doubt.notes)


def test_the_moments_are_for_who_sees_everything() -> None:
    record = bluff()
    assert 0 < len(at(record, "everything").moments) <= 3
    for key in ("public", "0", "1", "2"):
        assert at(record, key).moments == ()


@pytest.mark.django_db
def test_the_page_leads_to_the_moments(client: Client) -> None:
    bots = [make_bot(name, game="mia") for name in ("mirror", "shy", "honest")]
    match = make_match(bots, played=bluff())
    page = client.get(f"/matches/{match.name}/step/4/").content.decode()
    moments = at(bluff(), "everything").moments
    assert "Telling moments" in page
    for moment in moments:
        assert f'href="/matches/{match.name}/step/{moment.step}/?as=everything"' in page
        assert moment.text.replace("'", "&#x27;") in page
    public = client.get(f"/matches/{match.name}/step/4/?as=public").content.decode()
    assert "Telling moments" not in public
    assert moments[0].text.replace("'", "&#x27;") not in public


@pytest.mark.django_db
def test_names_are_no_markup(client: Client) -> None:
    record = bluff()
    record = record._replace(players=tuple(line._replace(bot="<b>") for line in record.players))
    assert "<b>" in at(record, "everything").moments[0].text
    match = make_match([make_bot(name, game="mia") for name in ("mirror", "shy", "honest")], played=record)
    assert "<b>" not in client.get(f"/matches/{match.name}/").content.decode()
