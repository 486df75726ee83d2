"""Addresses of an author's bots. A bot's public page is elsewhere."""

from django.urls import path

from webapp.bots import version_views, views

app_name = "bots"
urlpatterns = [
    path("my/bots/", views.mine, name="mine"),
    path("my/bots/new/", views.new, name="new"),
    path("my/bots/submit/", version_views.submit_new, name="submit_new"),
    path("my/bots/<int:pk>/", views.own, name="own"),
    path("my/bots/<int:pk>/settings/", views.change, name="change"),
    path("my/bots/<int:pk>/submit/", version_views.submit, name="submit"),
    path("my/bots/<int:pk>/auto-activate/", version_views.auto_activate, name="auto_activate"),
    path("my/bots/<int:pk>/compare/", version_views.compare, name="compare"),
    path("my/bots/<int:pk>/versions/<int:number>/", version_views.version, name="version"),
    path("my/bots/<int:pk>/versions/<int:number>/source/", version_views.source, name="source"),
    path("my/bots/<int:pk>/versions/<int:number>/activate/", version_views.activate, name="activate"),
    path("my/bots/<int:pk>/versions/<int:number>/retire/", version_views.retire_version, name="retire_version"),
    path("my/bots/<int:pk>/versions/<int:number>/again/", version_views.try_again, name="try_again"),
    path("my/bots/<int:pk>/tokens/", views.make_token, name="make_token"),
    path("my/bots/<int:pk>/tokens/<int:token>/revoke/", views.revoke_token, name="revoke_token"),
    path("my/bots/<int:pk>/prove/", views.prove, name="prove"),
    path("my/bots/<int:pk>/retire/", views.retire, name="retire"),
    path("my/bots/<int:pk>/reactivate/", views.reactivate, name="reactivate"),
    path("my/bots/<int:pk>/logs/<slug:match>/<int:seat>/", views.log, name="log"),
]
