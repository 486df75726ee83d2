"""Where the leaderboards are."""

from django.urls import path

from webapp.ratings import views

urlpatterns = [
    path("leaderboards/", views.leaderboards, name="leaderboards"),
    path("leaderboards/<slug:game>/<slug:preset>/", views.leaderboard, name="leaderboard"),
]
