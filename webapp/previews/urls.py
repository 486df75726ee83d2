"""Where the pictures of links are."""

from django.urls import path

from webapp.previews import views

urlpatterns = [
    path("matches/<slug:name>/preview.png", views.match, name="match_picture"),
    path("matches/<slug:name>/step/<int:step>/preview.png", views.match, name="match_step_picture"),
]
