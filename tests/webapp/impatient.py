"""The streaming process of `webapp.live`, which here cuts off after five seconds who takes nothing."""

from webapp.live import __main__ as live
from webapp.live import app

app.STALLED_SECONDS = 5.0
make = app.make

if __name__ == "__main__":
    live.APPLICATION = "tests.webapp.impatient:make"
    live.main()
