"""Where everybody sees a bot."""

from django.urls import path

from webapp.bots import public_views

urlpatterns = [
    path("bots/<slug:game>/<str:name>/", public_views.bot, name="bot"),
    path("compare/<slug:game>/", public_views.compare, name="compare"),
]
