"""Addresses of an author's bots. A bot's public page is elsewhere."""

from django.urls import path

from webapp.bots import views

app_name = "bots"
urlpatterns = [
    path("my/bots/", views.mine, name="mine"),
    path("my/bots/new/", views.new, name="new"),
    path("my/bots/<int:pk>/", views.own, name="own"),
    path("my/bots/<int:pk>/settings/", views.change, name="change"),
    path("my/bots/<int:pk>/tokens/", views.make_token, name="make_token"),
    path("my/bots/<int:pk>/tokens/<int:token>/revoke/", views.revoke_token, name="revoke_token"),
    path("my/bots/<int:pk>/retire/", views.retire, name="retire"),
    path("my/bots/<int:pk>/reactivate/", views.reactivate, name="reactivate"),
    path("my/bots/<int:pk>/logs/<slug:match>/<int:seat>/", views.log, name="log"),
]
