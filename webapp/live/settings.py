"""The settings of the streaming process: what it needs of the site's, and no more. It has no database and no secrets.

A question to the database raises `ImproperlyConfigured` here.
"""

import secrets
from pathlib import Path
from urllib.parse import urlsplit

import environ

env = environ.Env()

_base = urlsplit(env.str("ARENA_BASE_URL", default="http://127.0.0.1:8000").rstrip("/"))
_broker = env.str(
    "BROKER_URL", default=f"redis+socket://{Path(env.str('ARENA_DATA', default='data')).resolve()}/queue.sock"
)

ARENA_LIVE_REDIS = env.str("CACHE_URL", default=_broker).replace("redis+socket://", "unix://", 1)
ARENA_LIVE_ORIGIN = (_base.scheme, _base.port)
"""Pages of this scheme and port, on the host that the stream itself was asked for by, may read it."""

ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]", _base.hostname])
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=0)

ARENA_LIVE_CONNECTIONS = env.int("ARENA_LIVE_CONNECTIONS", default=2000)
ARENA_LIVE_ADDRESS_CONNECTIONS = env.int("ARENA_LIVE_ADDRESS_CONNECTIONS", default=256)

SECRET_KEY = secrets.token_urlsafe(32)  # nothing is signed here
DATABASES: dict[str, object] = {}
INSTALLED_APPS: list[str] = []
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [Path(__file__).parent / "templates", Path(__file__).parent.parent / "matches" / "templates"],
    }
]

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("uk", "українська"), ("ru", "русский")]
LOCALE_PATHS = [Path(__file__).parent.parent / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", default="INFO")},
}
