from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matches", "0002_own_rulesets")]

    operations = [
        migrations.CreateModel(
            name="Worker",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80, unique=True)),
                ("runtime", models.CharField(max_length=40)),
                ("strong", models.BooleanField()),
                ("why", models.CharField(blank=True, max_length=500)),
                ("advice", models.CharField(blank=True, max_length=500)),
                ("layers", models.JSONField()),
                ("last_seen", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="match",
            name="runtime",
            field=models.CharField(blank=True, default="", max_length=40),
        ),
    ]
