"""The site's settings: all that differs between machines comes from the environment; ``docs/running.md`` lists it.

With nothing set, everything lives in one private folder, ``./data``: an SQLite database, the sockets, the secrets.
"""

import ipaddress
import os
import secrets
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from arena.games import GAMES
from arena.package import MOST_BYTES

env = environ.Env()

# Before numpy is loaded: with more threads, the last bits of a fitted rating depend on how the work was split.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

DEBUG = env.bool("DEBUG", default=False)

# ---- the data folder, and the secrets in it ---------------------------------------------------------

ARENA_DATA = Path(env.str("ARENA_DATA", default="data")).resolve()
ARENA_DATA.mkdir(mode=0o700, parents=True, exist_ok=True)


def _secret(name: str) -> str:
    """The secret of this name: from the environment, else made once and kept in the data folder for its owner only."""
    if given := env.str(name, default=""):
        return str(given)
    path = ARENA_DATA / f"{name.lower()}.txt"
    if not path.exists():
        # Several processes may start at once: whoever links first decides, and nobody reads half a secret.
        descriptor, draft = tempfile.mkstemp(dir=ARENA_DATA)  # made with mode 0600
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(48))
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            Path(draft).unlink()
    return path.read_text().strip()


SECRET_KEY = _secret("SECRET_KEY")
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])

# What a worker and a door show each other. Bots never see it.
ARENA_SECRET = _secret("ARENA_SECRET")

# ---- addresses --------------------------------------------------------------------------------------

# What people type into a browser; https here switches on all that needs https.
ARENA_BASE_URL = env.str("ARENA_BASE_URL", default="http://127.0.0.1:8000").rstrip("/")
_base = urlsplit(ARENA_BASE_URL)
if _base.scheme not in {"http", "https"} or not _base.hostname:
    raise ImproperlyConfigured(f"ARENA_BASE_URL must look like https://arena.example.org, not {ARENA_BASE_URL!r}")

# Where remote bots dial in (gRPC).
ARENA_DOOR_LISTEN = env.str("ARENA_DOOR_LISTEN", default="127.0.0.1:50051")

# Where this machine's door answers workers. Each door has its own; with workers elsewhere it is a host and a port.
ARENA_DOOR_RELAY = env.str("ARENA_DOOR_RELAY", default=f"unix:{ARENA_DATA / 'door.sock'}")

# How workers on other machines reach it, where that is not the address it listens on.
ARENA_DOOR_RELAY_TARGET = env.str("ARENA_DOOR_RELAY_TARGET", default="")

# TLS for the door: the paths of a certificate chain and of its key, both in PEM.
ARENA_DOOR_CERTIFICATE = env.str("ARENA_DOOR_CERTIFICATE", default="")
ARENA_DOOR_KEY = env.str("ARENA_DOOR_KEY", default="")

# How many streams a door holds, and how many bots may come from where how often; 0 is no limit. Where bots reach it
# through a proxy all of them seem to come from one address: switch off what is counted by address there.
ARENA_DOOR_STREAMS = env.int("ARENA_DOOR_STREAMS", default=4000)
ARENA_DOOR_ADDRESS_STREAMS = env.int("ARENA_DOOR_ADDRESS_STREAMS", default=256)
ARENA_DOOR_ADDRESS_ATTEMPTS = env.int("ARENA_DOOR_ADDRESS_ATTEMPTS", default=3000)
ARENA_DOOR_ADDRESS_FAILURES = env.int("ARENA_DOOR_ADDRESS_FAILURES", default=60)
ARENA_DOOR_TOKEN_ATTEMPTS = env.int("ARENA_DOOR_TOKEN_ATTEMPTS", default=1200)

# ---- play -------------------------------------------------------------------------------------------

# How long a remote bot that lost its line in the middle of a match may take to come back. Its clock goes on.
ARENA_GRACE_SECONDS = env.float("ARENA_GRACE_SECONDS", default=30.0)

# Seconds between two series of the ladder: when only the house plays, and when bots of authors are there.
ARENA_LADDER_PAUSE = env.float("ARENA_LADDER_PAUSE", default=3.0)
ARENA_LADDER_PAUSE_SERVING = env.float("ARENA_LADDER_PAUSE_SERVING", default=0.5)

# How many series the ladder may have under way; 0 for any number. With one fewer than there are places to play, what
# has to be played again after a crash, and whatever else must not wait, finds a free one.
ARENA_LADDER_TABLES = env.int("ARENA_LADDER_TABLES", default=0)
# The games that the ladder plays; all of them where none is named.
ARENA_LADDER_GAMES = env.list("ARENA_LADDER_GAMES", default=[])
if unknown := set(ARENA_LADDER_GAMES) - set(GAMES):
    raise ImproperlyConfigured(
        f"ARENA_LADDER_GAMES names {', '.join(sorted(unknown))}, which is no game; there are {', '.join(GAMES)}."
    )

# How many people may play at the same time. A table costs a process for each bot at it, not a worker.
ARENA_PEOPLE_TABLES = env.int("ARENA_PEOPLE_TABLES", default=16)

# How many of these may be opened from one address; 0 for any number. Where a class sits behind one, it wants more.
ARENA_PEOPLE_ADDRESS_TABLES = env.int("ARENA_PEOPLE_ADDRESS_TABLES", default=6)

# How many versions may be validated at the same time, 0 for any number, and how long one may take: slow bots must not
# keep all the workers to themselves.
ARENA_VALIDATIONS = env.int("ARENA_VALIDATIONS", default=0)
ARENA_VALIDATION_SECONDS = env.int("ARENA_VALIDATION_SECONDS", default=300)

# Networks to which webhooks may be sent beside the public internet, for private installations and tests.
ARENA_WEBHOOK_NETWORKS = tuple(map(ipaddress.ip_network, env.list("ARENA_WEBHOOK_NETWORKS", default=[])))

# How long what bots wrote is kept for their authors, in days. Matches and their records are kept for ever.
ARENA_LOG_DAYS = env.int("ARENA_LOG_DAYS", default=30)

# Whether authors have to confirm their e-mail address before they hand in a bot: yes, where mail can be sent.
ARENA_CONFIRMED_AUTHORS = env.bool("ARENA_CONFIRMED_AUTHORS", default=bool(env.str("EMAIL_URL", default="")))

ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]", _base.hostname])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[ARENA_BASE_URL])

# ---- https, headers, cookies ------------------------------------------------------------------------

_https = _base.scheme == "https"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _https
SESSION_ENGINE = "webapp.accounts.sessions"
SESSION_COOKIE_NAME = "__Host-session" if _https else "session"
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SECURE = _https
LANGUAGE_COOKIE_SAMESITE = "Lax"
SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", default=_https)
SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", default=30 * 24 * 3600 if _https else 0)
X_FRAME_OPTIONS = "DENY"

# How many proxies in front of the site are ours. With none, what a client claims about itself is not believed.
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXIES", default=0)
if ALLAUTH_TRUSTED_PROXY_COUNT:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    }
}

# ---- Django -----------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "webapp.pages",  # first, so that its templates win over those of the packages
    "webapp.accounts",
    "webapp.bots",
    "webapp.matches",
    "webapp.ratings",
    "webapp.style",
    "webapp.comparing",
    "webapp.moderation",
    "webapp.tournaments",
    "webapp.people",
    "webapp.live",
    "webapp.hooks",
    "webapp.previews",
    "whitenoise.runserver_nostatic",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "csp",
    "django_htmx",
    "ninja",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "webapp.live.address.allow_the_stream",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "webapp.pages.language.LanguageMiddleware",
    "webapp.bodies.refuse_large_bodies",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "webapp.urls"
WSGI_APPLICATION = "webapp.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# The largest body of a request: an upload of `arena.package.MOST_BYTES`, and what a form adds to it.
ARENA_MOST_BODY_BYTES = MOST_BYTES + (64 << 10)
DATA_UPLOAD_MAX_MEMORY_SIZE = FILE_UPLOAD_MAX_MEMORY_SIZE = ARENA_MOST_BODY_BYTES

# ---- database, queue, cache -------------------------------------------------------------------------


def _database() -> dict[str, Any]:
    found: dict[str, Any] = {"ENGINE": "django.db.backends.sqlite3", "NAME": ARENA_DATA / "arena.sqlite3"}
    if env.str("DATABASE_URL", default=""):
        found = env.db("DATABASE_URL")
    options = found.setdefault("OPTIONS", {})
    if found["ENGINE"] == "django.db.backends.sqlite3":
        # Readers go on while one writes; a writer takes its place in the queue at BEGIN, not in the middle.
        options.setdefault("init_command", "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;")
        options.setdefault("transaction_mode", "IMMEDIATE")
        options.setdefault("timeout", 20)
    else:
        found.setdefault("CONN_MAX_AGE", 60)
        found.setdefault("CONN_HEALTH_CHECKS", True)
    return found


DATABASES = {"default": _database()}

# Without one, the private Redis of `python -m webapp.supervisor`.
BROKER_URL = env.str("BROKER_URL", default=f"redis+socket://{ARENA_DATA / 'queue.sock'}")

# Shared by all processes of the site, so that "five attempts" means five and not five for each process.
_cache = env.str("CACHE_URL", default=env.str("BROKER_URL", default="")).replace("redis+socket://", "unix://", 1)
if _cache.startswith(("redis://", "rediss://", "unix://")):
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": _cache,
            "KEY_PREFIX": "cache",
        }
    }

# ---- what happens now --------------------------------------------------------------------------------

# Where `webapp.live` writes down what happens for those who watch: the Redis that all processes share, if there is one.
ARENA_LIVE_REDIS = _cache if "CACHES" in vars() else ""

# Where browsers find the streaming process: a path ("/live/", behind a proxy that sends it there), a port on the host
# that the page itself was asked for by (":8001"), or a whole address. Empty: pages do not move by themselves.
ARENA_LIVE_URL = env.str("ARENA_LIVE_URL", default="/live/" if _https or ALLAUTH_TRUSTED_PROXY_COUNT else "")

# ---- the background ---------------------------------------------------------------------------------

# The longest that one task may take. The row in the database is the truth about a match, a message only wakes a
# worker, and what a lost worker leaves behind is found by its lease; so the broker need not hurry to send again.
ARENA_TASK_SECONDS = env.int("ARENA_TASK_SECONDS", default=900)

CELERY_BROKER_URL = BROKER_URL
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Shorter than a task, and the task would be started again while it still runs.
    "visibility_timeout": ARENA_TASK_SECONDS + 120,
    # With the defaults, looking for messages of the dead happens every hundred seconds only.
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    "queue_order_strategy": "priority",
    "priority_steps": [0, 3, 6, 9],
    "sep": ":",
    "socket_keepalive": True,
    # Whoever rings a worker while the queue is away must not wait for it: the row is there, and is found again.
    # Without these, each call takes six seconds. Workers wait for the queue for ever all the same.
    "max_retries": 1,
    "interval_start": 0,
    "socket_connect_timeout": 5,
}
CELERY_TASK_DEFAULT_QUEUE = "play"
CELERY_TASK_DEFAULT_PRIORITY = 6
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_TIME_LIMIT = ARENA_TASK_SECONDS + 30
CELERY_TASK_SOFT_TIME_LIMIT = ARENA_TASK_SECONDS
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 8.0
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TIMEZONE = "UTC"

# ---- accounts ---------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_RATE_LIMITS = {
    # By address and by account; what is not named here has allauth's own limits.
    "signup": "10/m/ip,50/d/ip",
    "login": "30/m/ip",
    "login_failed": "10/m/ip,5/300s/key",
    "reset_password": "10/m/ip,3/m/key",
    "reset_password_from_key": "10/m/ip",
}
ACCOUNT_ADAPTER = "webapp.accounts.adapter.Adapter"
ACCOUNT_FORMS = {
    "signup": "webapp.accounts.forms.SignupForm",
    "add_email": "webapp.accounts.forms.AddEmailForm",
}

if env.str("EMAIL_URL", default=""):
    vars().update(env.email_url("EMAIL_URL"))
else:  # without a mail server, each message becomes a file
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = ARENA_DATA / "mail"
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.str("DEFAULT_FROM_EMAIL", default=f"Bluff Arena <arena@{_base.hostname}>")
EMAIL_TIMEOUT = 20

# ---- language and time ------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("uk", "українська"), ("ru", "русский")]
LOCALE_PATHS = [Path(__file__).parent / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"

# ---- static files -----------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = Path(env.str("ARENA_STATIC", default=str(ARENA_DATA / "static")))
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
MEDIA_ROOT = ARENA_DATA / "media"

# ---- logging ----------------------------------------------------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{levelname} {name}: {message}", "style": "{"}},
    "filters": {"one_line": {"()": "webapp.logs.OneLine"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["one_line"]}},
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", default="INFO")},
    "loggers": {
        # Django's own would go to stderr twice, and only in DEBUG; errors are mailed to nobody.
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.server": {"handlers": [], "level": "INFO", "propagate": True},
        # Two lines for each task, one when it comes and one when it is done.
        "celery.app.trace": {"level": "WARNING"},
        "celery.worker.strategy": {"level": "WARNING"},
    },
}
