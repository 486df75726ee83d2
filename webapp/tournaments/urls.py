"""Where tournaments are."""

from django.urls import path

from webapp.tournaments import organisers_views, views

urlpatterns = [
    path("tournaments/", views.index, name="tournaments"),
    path("tournaments/new/", organisers_views.new, name="tournament_new"),
    path("tournaments/<slug:slug>/", views.show, name="tournament"),
    path("tournaments/<slug:slug>/standings.csv", views.standings, name="tournament_csv"),
    path("tournaments/<slug:slug>/luck.csv", views.luck, name="tournament_luck"),
    path("tournaments/<slug:slug>/records.zip", views.records, name="tournament_zip"),
    path("tournaments/<slug:slug>/enter/", views.enter, name="tournament_enter"),
    path("tournaments/<slug:slug>/leave/", views.leave, name="tournament_leave"),
    path("tournaments/<slug:slug>/edit/", organisers_views.edit, name="tournament_edit"),
    path("tournaments/<slug:slug>/do/<slug:deed>/", organisers_views.do, name="tournament_do"),
]
