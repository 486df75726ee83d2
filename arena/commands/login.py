"""``arena login`` and ``arena logout``: the terminal acts for a person."""

from __future__ import annotations

import sys

import click

from arena.commands.account import Login, ask, check_server, forget_login, is_open, save_login
from arena.commands.failures import Impossible

LONGEST_LINE = 1000


@click.command("login")
@click.option("--server", metavar="URL", required=True, help="The site, like https://arena.example.org")
def command(server: str) -> None:
    """Let this terminal act for you on a site.

    Asks for a key, which you make on the page of your account there, and keeps it in your own settings, for nobody
    else to read. The key can hand in bots and ask what became of them, and nothing else; there you can delete it.
    """
    server = check_server(server)
    if is_open(server):
        click.echo(f"{server} is not https: whoever is on the way can read the key", err=True)
    click.echo(f"Make a key at {server}/my/account/ and paste it here; it is not shown.", err=True)
    key = _read_key()
    if not key or not key.isascii() or not key.isprintable() or len(key) > 200 or " " in key:
        raise Impossible("this is no key; one looks like bk_…")
    login = Login(server, key)
    me = ask(login, "/my/me")
    path = save_login(login)
    click.echo(f"logged in as {me['username']} at {server}; the key is kept in {path}")
    if me["closed"]:
        click.echo(me["closed"], err=True)


def _read_key() -> str:
    """The key, from a person who types it unseen, or from a program that writes it to the standard input."""
    if sys.stdin.isatty():
        return str(click.prompt("key", hide_input=True, err=True)).strip()
    return sys.stdin.readline(LONGEST_LINE).strip()


@click.command("logout")
def logout() -> None:
    """Forget the key of `arena login`. It still works elsewhere, until you delete it on the page of your account."""
    click.echo("logged out; the key is forgotten here" if forget_login() else "you were not logged in")
