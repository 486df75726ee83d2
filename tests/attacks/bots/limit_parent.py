"""Puts limits on the process that started it, which its next child would inherit."""

import os
import resource


def attack():
    resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE))
    return "changed"
