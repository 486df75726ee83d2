"""Where matches, replays and series are."""

from django.urls import path

from webapp.matches import own_views, views

urlpatterns = [
    path("matches/", views.matches, name="matches"),
    path("matches/<slug:name>/", views.match, name="match"),
    path("matches/<slug:name>/step/<int:step>/", views.match, name="match_step"),
    path(
        "matches/<slug:name>/frames/<slug:edition>/<slug:language>/<slug:key>/<int:number>.json",
        views.match_frames,
        name="match_frames",
    ),
    path("embed/<slug:name>/", views.embed, name="embed"),
    path("embed/<slug:name>/step/<int:step>/", views.embed, name="embed_step"),
    path("matches/<slug:name>/record.json", views.match_record, name="match_record"),
    path("series/<int:pk>/", views.series, name="series"),
    path("rules/<slug:game>/own/", own_views.new, name="own_ruleset_new"),
    path("rules/<slug:game>/own/<slug:digits>/", own_views.show, name="own_ruleset"),
    path("rules/<slug:game>/own/<slug:digits>/title/", own_views.entitle, name="own_ruleset_title"),
    path("rules/<slug:game>/own/<slug:digits>/exhibition/", own_views.exhibition, name="own_ruleset_exhibition"),
]
