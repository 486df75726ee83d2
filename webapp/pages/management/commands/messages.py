"""``python -m webapp messages``: the catalogues of the site's languages, brought up to date or checked.

Django's own ``makemessages`` would need GNU gettext on the machine, would not know the texts of `arena`, and guesses
translations of new texts from old ones ("fuzzy"). Here Babel does the work: a new text stays empty until somebody
translates it, and one that is gone is gone.
"""

from __future__ import annotations

import io
import re
import string
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation.template import templatize

from webapp.pages.texts import texts

ROOT = Path(__file__).parents[4]
SITE = ROOT / "webapp"
FOLDER = SITE / "locale"

Keyword = tuple[int | tuple[int, str], ...] | None
_ONE: Keyword = None
_MANY: Keyword = (1, 2)
KEYWORDS: dict[str, Keyword] = {
    "_": _ONE,
    **dict.fromkeys(("gettext", "gettext_lazy", "gettext_noop"), _ONE),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), _MANY),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}

_FIXED = datetime(2000, 1, 1, tzinfo=UTC)  # a real date would differ at every run, and between any two branches


class Found(NamedTuple):
    """A text of the site, and where it stands."""

    where: str
    message: str | tuple[str, str]
    context: str | None


def find_texts() -> Iterator[Found]:
    """Every text that the site can show: from its Python, its templates, and the tables of `arena`."""
    for path in sorted(SITE.rglob("*.py")):
        if "migrations" not in path.parts:
            yield from _calls(path, path.read_bytes())
    for path in sorted(SITE.rglob("*.html")):
        # Django turns a template into calls among rubble; in brackets its indentation means nothing.
        yield from _calls(path, b"(\n" + templatize(path.read_text(), origin=str(path)).encode() + b"\n)")
    for text in texts():
        yield Found(text.where, (text.singular, text.plural) if text.plural else text.singular, None)


def _calls(path: Path, source: bytes) -> Iterator[Found]:
    options = {"encoding": "utf-8"}
    for _line, message, _comments, context in extract("python", io.BytesIO(source), KEYWORDS, (), options):
        found = (message[0], message[1]) if isinstance(message, tuple) else message
        yield Found(path.relative_to(ROOT).as_posix(), found, context)


def template() -> Catalog:
    """A catalogue of all texts of the site, none of them translated."""
    made = Catalog(charset="utf-8")
    for where, message, context in find_texts():
        made.add(message, locations=[(where, 0)], context=context)
    return made


# ---- catalogues in files -------------------------------------------------------------------------


def path_of(language: str) -> Path:
    return FOLDER / language / "LC_MESSAGES" / "django.po"


def read(language: str) -> Catalog:
    """The catalogue of a language as it stands in its file; an empty one where there is none yet."""
    path = path_of(language)
    if not path.exists():
        return Catalog(locale=language, charset="utf-8")
    with path.open("rb") as file:
        return read_po(file, locale=language)


def updated(language: str, fresh: Catalog) -> Catalog:
    """The catalogue of a language with just the texts of ``fresh``, in their order."""
    catalog = read(language)
    catalog.update(fresh, no_fuzzy_matching=True, update_header_comment=False)
    catalog.obsolete.clear()
    catalog.creation_date = catalog.revision_date = _FIXED
    return catalog


def po_bytes(catalog: Catalog) -> bytes:
    """The text of the file, without the headers that say who made it when, and with which version of Babel."""
    file = io.BytesIO()
    write_po(file, catalog, width=110, include_lineno=False, sort_by_file=False)
    text = file.getvalue().decode()
    header = re.compile(
        r'^"(Project-Id-Version|Report-Msgid-Bugs-To|POT-Creation-Date|PO-Revision-Date|Last-Translator|Language-Team'
        r'|Generated-By): .*\n(?:"(?![A-Z][A-Za-z-]*: ).*\n)*',
        re.MULTILINE,
    )
    head, blank, rest = text.partition("\n\n")
    head = header.sub("", re.sub(r"^#.*\n", "", head + "\n", flags=re.MULTILINE)).rstrip("\n")
    return (head + blank + rest).encode()


def mo_bytes(catalog: Catalog) -> bytes:
    """What Django reads."""
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def _said(compiled: bytes) -> dict[tuple[str, str], str]:
    """The translations in a compiled catalogue, without its header."""
    return {(one.context or "", str(one.id)): str(one.string) for one in read_mo(io.BytesIO(compiled)) if one.id}


# ---- what may be wrong with them -----------------------------------------------------------------

_PERCENT = re.compile(r"%(?:\(\w+\))?[-+ 0#]*[0-9]*(?:\.[0-9]+)?[a-z%]")


def placeholders(text: str) -> list[str]:
    """What is filled into a text: ``{who}``, ``%(name)s``; sorted, as often as it stands there."""
    try:
        braces = sorted(f"{{{name}}}" for _, name, _, _ in string.Formatter().parse(text) if name is not None)
    except ValueError:
        braces = ["a brace without its other one"]
    return sorted(_PERCENT.findall(text)) + braces


def faults_of(message: Message, forms: int) -> Iterator[str]:
    """What is wrong with the translation of one text."""
    original = message.id[-1] if isinstance(message.id, tuple | list) else str(message.id)
    translations = message.string if isinstance(message.string, tuple | list) else (message.string or "",)
    if message.fuzzy:
        yield "is marked as fuzzy: read it, and take the mark away"
    if not all(translations):
        yield "has not all its plural forms" if any(translations) else "is not translated"
        return
    if message.pluralizable and len(translations) != forms:
        yield f"has {len(translations)} plural forms and not {forms}"
    # Every plural form says the number: the first one serves not only 1 but also 21.
    wanted = placeholders(original)
    for translation in translations:
        if placeholders(translation) != wanted:
            yield f"has other placeholders in {translation!r}: {wanted} are wanted"
        if translation.strip() != translation:
            yield f"has a blank at an end: {translation!r}"


def complaints(language: str, fresh: Catalog) -> Iterator[str]:
    """What is wrong with a language, in lines for people."""
    path = path_of(language)
    name = path.relative_to(ROOT)
    catalog = updated(language, fresh)
    if not path.exists() or po_bytes(catalog) != path.read_bytes():
        yield f"{name} is not what the texts of the site are now: run make messages"
    for message in catalog:
        if message.id:
            for fault in faults_of(message, catalog.num_plurals):
                yield f"{name}: {message.id!r} {fault}"
    compiled = path.with_suffix(".mo")
    if not compiled.exists() or _said(compiled.read_bytes()) != _said(mo_bytes(catalog)):
        yield f"{compiled.relative_to(ROOT)} is not what {path.name} says: run make messages"


def write(language: str, fresh: Catalog) -> int:
    """Bring the files of a language up to date; returns how many texts are left to translate."""
    catalog = updated(language, fresh)
    path = path_of(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(po_bytes(catalog))
    path.with_suffix(".mo").write_bytes(mo_bytes(catalog))
    return sum(1 for message in catalog if message.id and any(faults_of(message, catalog.num_plurals)))


class Command(BaseCommand):
    help = "Collects the texts of the site into webapp/locale, and compiles the translations."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="change nothing; fail where something is missing")

    def handle(self, *args: Any, **options: Any) -> None:
        fresh = template()
        languages = [code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
        if options["check"]:
            found = [line for language in languages for line in complaints(language, fresh)]
            if found:
                raise CommandError("\n".join([*found, "docs/translating.md tells how to mend this"]))
            return
        for language in languages:
            left = write(language, fresh)
            self.stdout.write(f"{path_of(language).relative_to(ROOT)}: {len(fresh)} texts, {left} to translate or mend")
