"""Which language a bot is written in, as far as anybody has said."""

from __future__ import annotations

from webapp.bots.models import Bot, Version

NAMES = {
    "python": "Python",
    "node": "JavaScript",
    "deno": "JavaScript",
    "bun": "JavaScript",
    "go": "Go",
    "rust": "Rust",
    "java": "Java",
    "kotlin": "Kotlin",
    "dotnet": "C#",
    "ruby": "Ruby",
    "c++": "C++",
}


def language_of(bot: Bot, version: Version) -> str:
    """The language of a version; empty where it is not known. Our machine runs Python, a program that dials in says
    what it is built with."""
    if bot.kind == Bot.Kind.HOSTED:
        return "Python"
    return next((NAMES[word] for word in version.software.lower().split() if word in NAMES), "")
