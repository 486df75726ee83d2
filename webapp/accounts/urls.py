"""Addresses of a person's account; signing up, logging in and passwords are allauth's, under ``accounts/``."""

from django.urls import path

from webapp.accounts import views

app_name = "accounts"
urlpatterns = [
    path("my/account/", views.account, name="account"),
    path("my/account/keys/", views.make_key, name="make_key"),
    path("my/account/keys/<int:pk>/delete/", views.delete_key, name="delete_key"),
    path("my/account/delete/", views.delete, name="delete"),
]
