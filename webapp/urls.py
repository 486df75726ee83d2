"""Where everything is."""

from django.contrib import admin
from django.urls import include, path

from webapp.api import api

urlpatterns = [
    path("", include("webapp.pages.urls")),
    path("", include("webapp.accounts.urls")),
    path("", include("webapp.bots.urls")),
    path("", include("webapp.comparing.urls")),
    path("", include("webapp.matches.urls")),
    path("", include("webapp.ratings.urls")),
    path("", include("webapp.moderation.urls")),
    path("", include("webapp.tournaments.urls")),
    path("", include("webapp.people.urls")),
    path("", include("webapp.feeds.urls")),
    path("", include("webapp.hooks.urls")),
    path("", include("webapp.previews.urls")),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("api/", api.urls),
]
