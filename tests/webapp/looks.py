"""How pages look to different people: their language, their theme, the width of their window."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from importlib import resources
from itertools import product
from typing import NamedTuple

from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page

from arena.games import GAMES
from webapp.accounts.models import User

LANGUAGES = ("en", "uk", "ru")
WIDTHS = {1280: 800, 768: 1024, 360: 740}
"""A desktop, a tablet and a small phone: the width of a window, and its height."""
THEMES = ("light", "dark")


class Look(NamedTuple):
    """One of them."""

    language: str
    width: int
    theme: str


LOOKS = tuple(Look(*chosen) for chosen in product(LANGUAGES, WIDTHS, THEMES))


def kind_of(name: str) -> str:
    """Pages that every game has, like "mia: match", are of one kind."""
    game, _, rest = name.partition(": ")
    return rest if game in GAMES else name


def pairwise(pages: Mapping[str, str]) -> dict[Look, list[str]]:
    """Which pages to visit with which look: over all pages any two choices meet, of language, width and theme.

    Every page is seen on a phone and in a wider window, and in two languages; of a page that every game has, each
    game's is seen once.
    """
    visits: dict[Look, list[str]] = {look: [] for look in LOOKS}
    numbers: dict[str, int] = {}
    wider, phone = list(WIDTHS)[:2], list(WIDTHS)[2]
    for name in pages:
        number = numbers.setdefault(kind_of(name), len(numbers))
        if kind_of(name) == name:
            turns = [(number, phone), (number + 1, wider[number // 2 % 2])]
        else:
            at = list(GAMES).index(name.partition(": ")[0])
            turns = [(number + at, list(WIDTHS)[at])]
        for turn, width in turns:
            visits[Look(LANGUAGES[turn % 3], width, THEMES[turn % 2])].append(name)
    return visits


def fully_crossed(pages: Mapping[str, str]) -> dict[Look, list[str]]:
    """Every page with every look."""
    return {look: list(pages) for look in LOOKS}


def sign_in(context: BrowserContext, who: User, url: str) -> None:
    """Let the browser be this person's on the site at ``url``."""
    signed_in = Client()
    signed_in.force_login(who)
    session = signed_in.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": url}])


@contextlib.contextmanager
def window(browser: Browser, look: Look, who: User | None, url: str) -> Iterator[Page]:
    """A window of somebody, or of a stranger, on the site at ``url``."""
    context = browser.new_context(
        viewport={"width": look.width, "height": WIDTHS[look.width]},
        color_scheme="dark" if look.theme == "dark" else "light",
        extra_http_headers={"Accept-Language": look.language},
        reduced_motion="reduce",
    )
    if who is not None:
        sign_in(context, who, url)
    try:
        yield context.new_page()
    finally:
        context.close()


# ---- what is wrong with a page ---------------------------------------------------------------------

WIDE = """() => document.documentElement.scrollWidth <= document.documentElement.clientWidth ? []
    : ["it can be scrolled sideways", ...[...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
    .filter((one) => !one.closest("svg, pre, .away, .skip, [hidden]"))
    .map((one) => `reaches over the edge: ${one.tagName}.${one.className}: ${one.textContent.trim().slice(0, 60)}`)]"""
"""What reaches over the right edge of the window, where the window can be scrolled to it."""

CROWDED = """() => [...document.querySelectorAll("th, td")].filter((one) => one.getBoundingClientRect().width > 0)
    .filter((one) => {
        const words = document.createTreeWalker(one, NodeFilter.SHOW_TEXT, (text) =>
            text.data.trim() && !text.parentElement.closest("svg, .away") ? 1 : 2);
        const text = document.createRange();
        const room = one.getBoundingClientRect();
        while (words.nextNode()) {
            text.selectNodeContents(words.currentNode);
            const outside = (at) => at.right > room.right + 1 || at.left < room.left - 1;
            if ([...text.getClientRects()].some(outside)) return true;
        }
        return false;
    }).map((one) => `reaches over its cell: ${one.tagName}.${one.className}: ${one.textContent.trim().slice(0, 60)}`)"""
"""What is written in a cell of a table, and reaches into the next one."""

AXE = """async (tags) => (await axe.run(document, {runOnly: tags, resultTypes: ["violations"]})).violations
    .flatMap((found) => found.nodes.map((node) => `${found.id} (${found.impact}): ${node.html.slice(0, 160)} `
        + node.any.concat(node.all, node.none).map((check) => check.message).join("; ")))"""
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def cut_off(page: Page) -> list[str]:
    """What a reader would have to scroll sideways for, and what he could not tell from its neighbour."""
    found: list[str] = page.evaluate(WIDE) + page.evaluate(CROWDED)
    return found


def barriers(page: Page) -> list[str]:
    """What keeps people from using this page, by WCAG 2.2 AA, as far as axe can tell."""
    page.evaluate(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text())
    found: list[str] = page.evaluate(AXE, WCAG)
    return found
