"""Where people report, and where organisers work."""

from django.urls import path

from webapp.moderation import views

app_name = "moderation"
urlpatterns = [
    path("report/bot/<int:pk>/", views.report_bot, name="report_bot"),
    path("report/author/<str:name>/", views.report_author, name="report_author"),
    path("report/match/<slug:name>/", views.report_match, name="report_match"),
    path("my/reports/", views.mine, name="mine"),
    path("organisers/", views.desk, name="desk"),
    path("organisers/signs/", views.signs, name="signs"),
    path("organisers/reports/<int:pk>/", views.report, name="report"),
    path("organisers/people/<str:name>/", views.person, name="person"),
    path("organisers/people/<str:name>/<slug:deed>/", views.to_person, name="to_person"),
    path("organisers/bots/<int:pk>/", views.bot, name="bot"),
    path("organisers/bots/<int:pk>/<slug:deed>/", views.to_bot, name="to_bot"),
]
