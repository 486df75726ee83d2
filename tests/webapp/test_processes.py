"""Keeping processes running, with small stand-ins for the real ones."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from webapp.processes import GaveUp, Limits, Printer, Service, Supervisor

QUICK = Limits(first_delay=0.01, longest_delay=0.05, settled_after=60.0, deaths=3)

POLITE = """
import signal, sys, time
def end(*_):
    print('bye')
    sys.exit()
signal.signal(signal.SIGTERM, end)
print('up')
time.sleep(60)
"""
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up'); time.sleep(60)"


def python(name: str, code: str, **more: object) -> Service:
    return Service(name, [sys.executable, "-uc", code], **more)  # type: ignore[arg-type]


class Heard(io.StringIO):
    """Where a `Printer` prints in these tests."""

    async def until(self, text: str, times: int = 1) -> None:
        async with asyncio.timeout(60):
            while self.getvalue().count(text) < times:  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    def last_number(self) -> int:
        return int(self.getvalue().split()[-1])


async def test_output_comes_with_the_name_of_the_one_who_said_it() -> None:
    heard = Heard()
    async with Supervisor(Printer(heard)) as supervisor:
        await supervisor.run(python("first", "import sys; print('hello'); print('oh', file=sys.stderr)"))
        await supervisor.run(python("second", "print('x' * 200_000); print('no newline', end='')"))
    lines = heard.getvalue().splitlines()
    assert lines[:2] == ["first     | hello", "first     | oh"]
    assert sum(line.count("x") for line in lines) == 200_000
    assert lines[-1] == "second    | no newline"


async def test_what_dies_is_started_again() -> None:
    heard = Heard()
    code = "import os, time; print('up', os.getpid()); time.sleep(60)"
    async with Supervisor(Printer(heard), QUICK) as supervisor:
        supervisor.start(python("worker", code))
        await heard.until("up")
        os.kill(heard.last_number(), signal.SIGKILL)
        await heard.until("up", times=2)
        assert "worker    | was killed by SIGKILL after" in heard.getvalue()
        again = heard.last_number()
        assert _alive(again)
    assert not _alive(again)


async def test_what_cannot_run_is_given_up_with_its_last_words() -> None:
    heard = Heard()
    async with Supervisor(Printer(heard), QUICK) as supervisor:
        supervisor.start(python("other", "import os, time; print('up', os.getpid()); time.sleep(60)"))
        await heard.until("up")
        other = heard.last_number()
        supervisor.start(python("door", "import sys; print('the port is taken'); sys.exit(3)"))
        with pytest.raises(GaveUp) as given_up:
            await supervisor.forever()
    assert "door ended with exit code 3, and that 3 times" in str(given_up.value)
    assert "the port is taken" in str(given_up.value)
    assert heard.getvalue().count("starting it again") == 2
    assert not _alive(other)


async def test_what_has_proven_itself_is_never_given_up(tmp_path: Path) -> None:
    heard = Heard()
    limits = Limits(first_delay=0.01, longest_delay=0.01, settled_after=0.3, deaths=2)
    once = tmp_path / "once"
    code = (
        f"import pathlib, time; print('up'); p = pathlib.Path({str(once)!r}); p.exists() or time.sleep(0.5); p.touch()"
    )
    async with Supervisor(Printer(heard), limits) as supervisor:
        supervisor.start(python("web", code))
        await heard.until("up", times=5)


async def test_readiness_is_waited_for_and_a_death_meanwhile_is_reported(tmp_path: Path) -> None:
    flag = tmp_path / "ready"

    async def ready() -> bool:
        return flag.exists()

    async with Supervisor(Printer(Heard()), QUICK) as supervisor:
        supervisor.start(
            python("web", f"import time; time.sleep(0.2); open({str(flag)!r}, 'w'); time.sleep(60)", ready=ready)
        )
        await supervisor.ready()
        assert flag.exists()

    async def never() -> bool:
        return False

    async with Supervisor(Printer(Heard()), QUICK) as supervisor:
        supervisor.start(python("web", "raise SystemExit(1)", ready=never))
        with pytest.raises(GaveUp, match="web"):
            await supervisor.ready()


async def test_a_bad_end_of_what_should_run_once_is_reported() -> None:
    async with Supervisor(Printer(Heard())) as supervisor:
        with pytest.raises(GaveUp, match=r"(?s)prepare ended with exit code 2.*no such table"):
            await supervisor.run(python("prepare", "print('no such table'); raise SystemExit(2)"))


async def test_the_last_started_is_stopped_first_and_whoever_does_not_end_is_killed() -> None:
    heard = Heard()
    async with Supervisor(Printer(heard)) as supervisor:
        supervisor.start(python("queue", POLITE))
        supervisor.start(python("worker", DEAF, patience=0.2))
        supervisor.start(python("web", POLITE))
        await heard.until("up", times=3)
        began = time.monotonic()
    assert time.monotonic() - began < 30
    lines = heard.getvalue().splitlines()[3:]
    assert lines == [
        "web       | bye",
        "worker    | has not ended within 0.2 s, so it is killed",
        "queue     | bye",
    ]


async def test_a_hurry_ends_all_patience() -> None:
    heard = Heard()
    supervisor = Supervisor(Printer(heard))
    async with supervisor:
        supervisor.start(python("worker", DEAF, patience=60))
        await heard.until("up")
        began = time.monotonic()
        asyncio.get_running_loop().call_later(0.1, supervisor.hurry)
    assert time.monotonic() - began < 30


async def test_what_a_service_leaves_behind_ends_with_it() -> None:
    heard = Heard()
    code = "import subprocess, sys; p = subprocess.Popen(['sleep', '60']); print('up', p.pid)"
    async with Supervisor(Printer(heard)) as supervisor:
        await supervisor.run(python("web", code))
    _ends_within(30, heard.last_number())


def test_children_end_when_the_supervisor_is_killed() -> None:
    code = """if True:
        import asyncio, sys
        from webapp.processes import *
        child = "import os, time; print(os.getpid()); time.sleep(60)"
        async def main():
            async with Supervisor(Printer()) as supervisor:
                supervisor.start(Service("one", [sys.executable, "-uc", child]))
                await supervisor.forever()
        asyncio.run(main())
    """
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as supervisor:
        assert supervisor.stdout is not None
        child = int(supervisor.stdout.readline().split()[-1])
        assert _alive(child)
        supervisor.kill()
        supervisor.wait()
        _ends_within(30, child)


def _ends_within(seconds: float, pid: int) -> None:
    deadline = time.monotonic() + seconds
    while _alive(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
