from __future__ import annotations
from pathlib import Path
import pytest
from tests.webapp.languages import furnish
OUT = Path("/tmp/lang/shots")
@pytest.mark.django_db(transaction=True)
def test_shots(live_server, monkeypatch):
    OUT.mkdir(parents=True, exist_ok=True)
    shown = furnish()
    from django.test import Client
    from playwright.sync_api import sync_playwright
    from tests import services
    c = Client(); c.force_login(shown.author)
    cookie = c.cookies["session"].value
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    p = sync_playwright().start()
    browser = p.chromium.launch(executable_path=services.chromium(), args=services.CHROMIUM_OPTIONS, chromium_sandbox=False)
    for language in ("uk", "ru"):
        for size, w in (("desk", 1280), ("phone", 390)):
            ctx = browser.new_context(viewport={"width": w, "height": 900}, locale=language, extra_http_headers={"Accept-Language": language})
            page = ctx.new_page()
            for name, address in shown.public.items():
                if language == "ru" and size == "desk" and name.split(":")[0] in ("signup", "password"): continue
                page.goto(live_server.url + address)
                page.screenshot(path=str(OUT / f"{name.replace(': ', '-').replace(' ', '_')}-{language}-{size}.png"), full_page=True)
            ctx.add_cookies([{"name": "session", "value": cookie, "url": live_server.url}])
            for name, address in shown.own.items():
                page.goto(live_server.url + address)
                page.screenshot(path=str(OUT / f"own-{name.replace(': ', '-').replace(' ', '_')}-{language}-{size}.png"), full_page=True)
            ctx.close()
    browser.close(); p.stop()
