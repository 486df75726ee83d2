"""Where people play."""

from django.urls import path

from webapp.people import views

app_name = "people"
urlpatterns = [
    path("play/", views.choose, name="choose"),
    path("play/<str:token>/", views.table, name="table"),
    path("play/<str:token>/now/", views.now, name="now"),
    path("play/<str:token>/leave/", views.leave, name="leave"),
    path("play/<str:token>/again/", views.again, name="again"),
]
