from django.db import migrations, models
from django.db.models import F, OuterRef, Q, Subquery


def repeat(apps, schema_editor):
    """What stands with the series and the match until now. Of a million matches it takes a minute or two."""
    Match, Entry = apps.get_model("matches", "Match"), apps.get_model("matches", "Entry")
    Match.objects.filter(series__purpose__in=("validation", "comparison")).update(private=True)
    listed = Match.objects.filter(pk=OuterRef("match_id"), private=False)
    Entry.objects.update(listed=Subquery(listed.values("ruleset")))


class Migration(migrations.Migration):

    dependencies = [
        ("matches", "0009_people"),
    ]

    operations = [
        migrations.AddField(
            model_name="match",
            name="private",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddField(
            model_name="entry",
            name="listed",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                editable=False,
                null=True,
                on_delete=models.deletion.PROTECT,
                related_name="+",
                to="matches.ruleset",
            ),
        ),
        migrations.RunPython(repeat, migrations.RunPython.noop),
        migrations.RemoveIndex(model_name="entry", name="entry_newest_of_bot"),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(
                F("bot"), F("match").desc(), condition=Q(listed__isnull=False), name="entry_newest_of_bot"
            ),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(
                F("bot"),
                F("listed"),
                F("match").desc(),
                condition=Q(listed__isnull=False),
                name="entry_newest_in_ruleset",
            ),
        ),
        migrations.RemoveIndex(model_name="match", name="matches_mat_ruleset_dbcfe4_idx"),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(fields=["-id"], condition=Q(private=False), name="match_newest"),
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(fields=["ruleset", "-id"], condition=Q(private=False), name="match_newest_of_ruleset"),
        ),
    ]
