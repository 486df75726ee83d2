"""Who leads a leaderboard, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from django.utils.translation import gettext as _

from webapp.ratings.selectors import Row


def apart(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The rows with settled ratings, and the provisional ones.

    The anchor is settled from the beginning, by definition. As long as nobody else is, it stands among the others:
    a table of itself alone would say that it leads.
    """
    settled = [row for row in rows if not row.provisional]
    if all(row.half_width == 0 for row in settled):
        return [], list(rows)
    return settled, [row for row in rows if row.provisional]


def lead(rows: Sequence[Row], board: str) -> str:
    """The answer that a leaderboard gives, by its settled ratings if there are any.

    The two intervals are of differences to the same anchor, so what they make together for the difference
    between the two is on the safe side: the true one is no wider.
    """
    settled, _provisional = apart(rows)
    if not rows:
        return _("Nobody has played %(board)s yet") % {"board": board}
    if not settled:
        return _("%(bot)s is ahead in %(board)s, but no rating is settled yet") % {
            "bot": rows[0].bot.name,
            "board": board,
        }
    first = settled[0]
    if len(settled) == 1:
        return _("%(bot)s leads %(board)s") % {"bot": first.bot.name, "board": board}
    second = settled[1]
    width = math.ceil(math.hypot(first.half_width, second.half_width))
    told = {
        "bot": first.bot.name,
        "second": second.bot.name,
        "board": board,
        "by": round(first.elo - second.elo),
        "width": width,
    }
    if first.elo - second.elo > width:
        return _("%(bot)s leads %(board)s by %(by)d ± %(width)d") % told
    return _("%(bot)s and %(second)s share the top of %(board)s: %(by)d ± %(width)d apart") % told
