"""Who can sit at a table: a script, a bot in this process, a program at the far end of a line."""

from arena.seats.line import Line, LineLost, LineSeat
from arena.seats.listener import Listener
from arena.seats.local import LocalSeat
from arena.seats.scripted import ScriptedSeat

__all__ = ["Line", "LineLost", "LineSeat", "Listener", "LocalSeat", "ScriptedSeat"]
