from django.db import migrations, models


def compute_anew(apps, schema_editor):
    """What was kept before says nothing of what single matches moved: to the scheduler it is out of date."""
    apps.get_model("ratings", "HeadToHead").objects.update(matches=0)


class Migration(migrations.Migration):

    dependencies = [
        ("ratings", "0002_history"),
    ]

    operations = [
        migrations.AddField(
            model_name="headtohead",
            name="extremes",
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name="headtohead",
            name="newest",
            field=models.BinaryField(default=b""),
        ),
        migrations.RunPython(compute_anew, migrations.RunPython.noop),
    ]
