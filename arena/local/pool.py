"""A contest, or blocks until it is enough, in one process or several: the results are the same, in the same order."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import groupby, islice
from typing import Self

from arena.local.contest import Contest, ContestError, Fixture, blocks
from arena.local.worker import Result, play_blocks

CHUNK_MATCHES = 24
"""So many matches, or a few more, are handed to a process at a time."""

CHUNK_SECONDS, CHUNK_SECONDS_OF_PROGRAMS = 0.5, 10.0
"""So long a process plays at a time where it is not known how many matches there will be."""

BLOCKS_OF_PROGRAMS = 32
"""Programs are started anew for every chunk, so that it is not to be a small one: the first is this."""

Block = Sequence[Fixture]

Progress = Callable[[int], None]
"""Called with how many more matches have been played."""


def play_contest(
    contest: Contest, *, jobs: int = 1, keep_records: bool = False, progress: Progress | None = None
) -> list[Result]:
    """Play all of ``contest``; its results in the order of the matches.

    Args:
        contest: what is played.
        jobs: how many processes play at the same time.
        keep_records: whether the results hold the records.
        progress: is called when some matches have been played.

    Raises:
        ContestError: a program could not be started, or did not take part.
        BotError: a bot in a file cannot be made.
    """
    chunks = _chunks(contest, jobs)
    if jobs == 1 or len(chunks) == 1:
        results: list[Result] = []
        for chunk in chunks:
            results += _advance(play_blocks(contest, chunk, keep_records=keep_records), progress)
        return results
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(chunks)), mp_context=context) as pool:
        futures = [pool.submit(play_blocks, contest, chunk, keep_records=keep_records) for chunk in chunks]
        try:
            return [result for future in futures for result in _advance(future.result(), progress)]
        except BrokenProcessPool as broken:
            raise ContestError(
                "a process that was playing matches has ended; did a bot end it? With --jobs 1 it is told which"
            ) from broken
        finally:
            for future in futures:
                future.cancel()


class Pool:
    """Processes that play many contests, several at the same time; one process plays them here."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        if self.jobs > 1:
            self._executor = ProcessPoolExecutor(self.jobs, mp_context=multiprocessing.get_context("spawn"))
        return self

    def __exit__(self, *_: object) -> None:
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)

    def play(self, contests: Sequence[Contest]) -> Iterator[tuple[int, list[Result]]]:
        """The number of each contest and its results, as soon as it is over.

        Raises:
            ContestError, BotError: as `play_contest`.
        """
        if self._executor is None:
            for number, contest in enumerate(contests):
                yield number, play_contest(contest)
            return
        pending: dict[Future[list[Result]], tuple[int, int]] = {}
        done: list[list[list[Result] | None]] = []
        for number, contest in enumerate(contests):
            chunks = _chunks(contest, self.jobs)
            done.append([None] * len(chunks))
            for at, chunk in enumerate(chunks):
                pending[self._executor.submit(play_blocks, contest, chunk)] = number, at
        try:
            for future in as_completed(pending):
                number, at = pending[future]
                done[number][at] = future.result()
                parts = [part for part in done[number] if part is not None]
                if len(parts) == len(done[number]):
                    yield number, [result for part in parts for result in part]
        except BrokenProcessPool as broken:
            raise ContestError("a process that was playing matches has ended; did a bot end it?") from broken


def stream_blocks(contest: Contest, planned: Iterator[Block], *, jobs: int = 1) -> Generator[list[Result], None, None]:
    """Play blocks until there are no more, or until nobody wants any: the results of each, in the order of the blocks.

    How the blocks are handed out follows the clock, and changes nothing in the results. Close the generator when it
    is enough; what is being played then is broken off.

    Args:
        contest: what they belong to; its number of matches does not matter here.
        planned: the blocks, as many as there are, or without end.
        jobs: how many processes play at the same time.

    Raises:
        ContestError: a program could not be started, or did not take part.
        BotError: a bot in a file cannot be made.
    """
    size = BLOCKS_OF_PROGRAMS if contest.launches else 1
    if jobs == 1:
        while chunk := list(islice(planned, size)):
            seconds, results = _timed(contest, chunk)
            yield from results
            size = _resized(contest, size, seconds)
        return
    before = set(multiprocessing.active_children())
    waiting: deque[Future[tuple[float, list[list[Result]]]]] = deque()
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        try:
            while True:
                with _deaf():
                    while len(waiting) < 2 * jobs and (chunk := list(islice(planned, size))):
                        waiting.append(pool.submit(_timed, contest, chunk))
                if not waiting:
                    return
                seconds, results = waiting.popleft().result()
                yield from results
                size = _resized(contest, size, seconds)
        except BrokenProcessPool as broken:
            raise ContestError("a process that was playing matches has ended; did a bot end it?") from broken
        finally:
            for future in waiting:
                future.cancel()
            if not contest.launches:  # else it has programs to end, and is waited for
                for process in set(multiprocessing.active_children()) - before:
                    process.terminate()


def _timed(contest: Contest, chunk: list[Block]) -> tuple[float, list[list[Result]]]:
    """The results of some blocks, block by block, and how many seconds it took."""
    began = time.perf_counter()
    results = play_blocks(contest, chunk)
    each = [list(some) for _, some in groupby(results, key=lambda result: result.fixture.block)]
    return time.perf_counter() - began, each


def _resized(contest: Contest, size: int, seconds: float) -> int:
    """How many blocks to hand out next, after some took so long."""
    wanted = CHUNK_SECONDS_OF_PROGRAMS if contest.launches else CHUNK_SECONDS
    if seconds < wanted / 2:
        return 2 * size
    return max(1, size // 2) if seconds > 2 * wanted else size


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes that are started meanwhile leave Ctrl-C to this one."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _chunks(contest: Contest, jobs: int) -> list[list[Sequence[Fixture]]]:
    """The blocks in portions. Where programs are started, each process starts them once."""
    every = list(blocks(contest))
    share = -(-len(every) // jobs)
    size = share if contest.launches else min(share, -(-CHUNK_MATCHES // len(every[0])))
    return [list(every[at : at + size]) for at in range(0, len(every), size)]


def _advance(results: list[Result], progress: Progress | None) -> list[Result]:
    if progress is not None:
        progress(len(results))
    return results
