"""Threads, as many as there can be."""

import threading


def attack():
    stop = threading.Event()
    threads = [threading.Thread(target=stop.wait, args=(20,), daemon=True) for _ in range(150)]
    try:
        for thread in threads:
            thread.start()
    finally:
        stop.set()
    return "150 threads"
