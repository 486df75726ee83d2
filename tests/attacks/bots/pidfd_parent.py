"""Takes hold of the process that started it by a file."""

import os
import signal


def attack():
    signal.pidfd_send_signal(os.pidfd_open(os.getppid()), 0)
    return "reached"
