"""The site of Bluff Arena: what is public, what is stored, and what plays in the background."""

from webapp.celery import app as celery_app

__all__ = ["celery_app"]
