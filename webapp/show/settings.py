"""The site's settings for the viewer alone: without a database, accounts or cookies."""

from webapp.settings import (
    CONTENT_SECURITY_POLICY,
    DEFAULT_AUTO_FIELD,
    LANGUAGE_CODE,
    LANGUAGE_COOKIE_HTTPONLY,
    LANGUAGES,
    LOCALE_PATHS,
    SECRET_KEY,
    STATIC_URL,
    TIME_ZONE,
    USE_TZ,
)

__all__ = [
    "CONTENT_SECURITY_POLICY",
    "DEFAULT_AUTO_FIELD",
    "LANGUAGES",
    "LANGUAGE_CODE",
    "LANGUAGE_COOKIE_HTTPONLY",
    "LOCALE_PATHS",
    "SECRET_KEY",
    "STATIC_URL",
    "TIME_ZONE",
    "USE_TZ",
]

DEBUG = False
# `webapp.show.server` looks at the port, too.
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
ROOT_URLCONF = "webapp.show.urls"
AUTH_USER_MODEL = "accounts.User"
X_FRAME_OPTIONS = "DENY"

# The viewer's templates, and the tables whose names the code of the site mentions.
INSTALLED_APPS = [
    "webapp.pages",
    "webapp.accounts",
    "webapp.bots",
    "webapp.matches",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.staticfiles",
    "csp",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "webapp.pages.language.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
DATABASES: dict[str, object] = {}
STORAGES = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["stderr"], "level": "ERROR"},
    "loggers": {"django": {"handlers": [], "level": "ERROR", "propagate": True}},
}
