"""Where feeds are."""

from django.urls import path

from webapp.feeds import views

urlpatterns = [
    path("feed.atom", views.news, name="news_feed"),
    path("bots/<slug:game>/<str:name>/feed.atom", views.bot, name="bot_feed"),
    path("tournaments/<slug:slug>/feed.atom", views.tournament, name="tournament_feed"),
]
