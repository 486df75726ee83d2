"""Addresses of a person's webhooks."""

from django.urls import path

from webapp.hooks import views

app_name = "hooks"
urlpatterns = [
    path("my/hooks/", views.hooks, name="hooks"),
    path("my/hooks/<int:pk>/", views.hook, name="hook"),
    path("my/hooks/<int:pk>/test/", views.test, name="test"),
    path("my/hooks/<int:pk>/on/", views.switch_on, name="on"),
    path("my/hooks/<int:pk>/off/", views.switch_off, name="off"),
    path("my/hooks/<int:pk>/delete/", views.delete, name="delete"),
]
