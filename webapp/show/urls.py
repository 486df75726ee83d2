"""Where the viewer's pages are."""

from django.urls import path

from webapp.show import views

urlpatterns = [
    path("", views.show, name="local"),
    path("step/<int:step>/", views.show, name="local_step"),
    path("frames/<slug:edition>/<slug:language>/<slug:key>/<int:number>.json", views.frames, name="local_frames"),
    path("record.json", views.record, name="local_record"),
]

handler404 = "webapp.show.views.nowhere"
handler400 = "webapp.show.views.nowhere"
