"""Where an author's comparisons are."""

from django.urls import path

from webapp.comparing import views

app_name = "comparing"
urlpatterns = [
    path("my/bots/<int:pk>/comparisons/", views.comparisons, name="all"),
    path("my/bots/<int:pk>/comparisons/<int:number>/", views.comparison, name="one"),
    path("my/bots/<int:pk>/comparisons/<int:number>/cancel/", views.cancel, name="cancel"),
]
