"""A picture of every page, in every width, theme and language asked for, on one page to look through.

``make screenshots`` runs this; ``pytest tests/webapp/gallery.py --pictures FOLDER`` does it elsewhere. It is no test:
nobody but a person can say whether a page looks right.
"""

from __future__ import annotations

import html
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from tests.webapp.languages import furnish
from tests.webapp.looks import LOOKS, window

INDEX = """<!doctype html>
<meta charset="utf-8"><title>Bluff Arena: every page</title>
<style>body {{ font: 15px system-ui; margin: 2rem; background: #888 }} a {{ color: inherit }}
figure {{ display: inline-block; margin: 0 1rem 1rem 0; vertical-align: top }}
img {{ display: block; max-width: 420px; max-height: 640px }}</style>
{figures}
"""


@pytest.mark.timeout(3600)
@pytest.mark.usefixtures("django_db_setup")
@pytest.mark.django_db(transaction=True)
def test_pictures(live_server: LiveServer, browser: Browser, pytestconfig: pytest.Config) -> None:
    """Takes them."""
    folder = Path(pytestconfig.getoption("pictures"))
    folder.mkdir(parents=True, exist_ok=True)
    shown = furnish()
    # in English the width and the theme change, in the other languages the desktop is enough to see what is too long
    looks = [look for look in LOOKS if look.language == "en" or (look.width == 1280 and look.theme == "light")]
    figures = []
    for look in looks:
        for who, pages in ((None, shown.public), (shown.author, shown.own), (shown.organiser, shown.desk)):
            with window(browser, look, who, live_server.url) as page:
                for name, address in pages.items():
                    page.goto(live_server.url + address)
                    file = f"{name}-{look.language}-{look.width}-{look.theme}.png".replace(": ", "-").replace(" ", "-")
                    page.screenshot(path=folder / file, full_page=True)
                    label = html.escape(f"{name}, {look.language}, {look.width}, {look.theme}")
                    figures.append(
                        (name, f'<figure><a href="{file}"><img src="{file}" loading="lazy"></a>{label}</figure>')
                    )
    figures.sort(key=lambda figure: figure[0])
    (folder / "index.html").write_text(INDEX.format(figures="\n".join(figure for _, figure in figures)))
