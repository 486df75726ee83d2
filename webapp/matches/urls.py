"""Where matches, replays and series are."""

from django.urls import path

from webapp.matches import views

urlpatterns = [
    path("matches/", views.matches, name="matches"),
    path("matches/<slug:name>/", views.match, name="match"),
    path("matches/<slug:name>/step/<int:step>/", views.match, name="match_step"),
    path("matches/<slug:name>/record.json", views.match_record, name="match_record"),
    path("series/<int:pk>/", views.series, name="series"),
]
