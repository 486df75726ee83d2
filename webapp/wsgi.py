"""The site's pages, as a WSGI application."""

import multiprocessing
import os

from django.core.wsgi import get_wsgi_application

from arena.lifeline import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

# The web server forks its workers, and does not take them along when it is itself killed.
if (_server := multiprocessing.parent_process()) is not None:
    die_with_parent(_server.pid)

application = get_wsgi_application()
