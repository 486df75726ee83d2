"""The pages that belong to no single table of the database, and the public pages of bots."""

from django.urls import include, path

from webapp.pages import language, views

urlpatterns = [
    path("", views.home, name="home"),
    path("rules/", views.rules_index, name="rules_index"),
    path("rules/<slug:game>/", views.rules, name="rules"),
    path("rules/<slug:game>/example/", views.example, name="example"),
    path("rules/<slug:game>/example/step/<int:step>/", views.example, name="example_step"),
    path(
        "rules/<slug:game>/example/frames/<slug:edition>/<slug:language>/<slug:key>/<int:number>.json",
        views.example_frames,
        name="example_frames",
    ),
    path("write/", views.write, name="write"),
    path("status/", views.status, name="status"),
    path("language/", language.choose, name="language"),
    path("healthz", views.healthz, name="healthz"),
    path("", include("webapp.bots.public_urls")),
]
