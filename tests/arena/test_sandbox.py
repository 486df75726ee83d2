"""The parts of the sandbox; what holds is shown in tests/attacks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena import runtime
from arena.sandbox import cgroups, outer, seccomp
from arena.sandbox.syscalls import ARCHITECTURES, numbers

ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
EPERM, ENOSYS, EAFNOSUPPORT = 1, 38, 97
OWN = 4242


def verdict(machine: str, call: str | int, *arguments: int, architecture: int | None = None) -> int:
    """What the filter says to a call: its program, run as the kernel would run it."""
    number = numbers(machine)[call] if isinstance(call, str) else call
    data = {0: number, 4: architecture or ARCHITECTURES[machine]}
    for index, argument in enumerate(arguments):
        data[16 + 8 * index] = argument
    steps = seccomp.program(machine, OWN)
    assert len(steps) < 4096
    at = held = 0
    while True:
        code, jump_if, jump_else, value = steps[at]
        at += 1
        match code:
            case 0x20:
                held = data.get(value, 0)
            case 0x15:
                at += jump_if if held == value else jump_else
            case 0x35:
                at += jump_if if held >= value else jump_else
            case 0x45:
                at += jump_if if held & value else jump_else
            case 0x06:
                return value


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_the_filter_judges_calls(machine: str) -> None:
    for call in ("read", "futex", "openat", "exit_group", "recvmsg", "epoll_pwait"):
        assert verdict(machine, call) == ALLOW, call
    assert verdict(machine, "socket", 1, 1) == ALLOW
    for family in (0, 2, 10, 16, 17, 38, 40):
        assert verdict(machine, "socket", family, 1) == ERROR | EAFNOSUPPORT
        assert verdict(machine, "socketpair", family, 1) == ERROR | EAFNOSUPPORT
    assert verdict(machine, "clone", 0x3D0F00) == ALLOW, "a thread, as glibc makes it"
    assert verdict(machine, "clone", 0x1200011) == ERROR | EPERM, "a process"
    assert verdict(machine, "clone", 0x10000000 | 17) == ERROR | EPERM
    assert verdict(machine, "clone3", 0) == ERROR | ENOSYS
    for call in ("kill", "tgkill"):
        assert verdict(machine, call, OWN) == ALLOW
        for other in (0, 1, OWN + 1, 0xFFFFFFFF):
            assert verdict(machine, call, other) == ERROR | EPERM
    for call in ("prlimit64", "sched_setaffinity"):
        assert verdict(machine, call, 0) == verdict(machine, call, OWN) == ALLOW
        assert verdict(machine, call, 1) == ERROR | EPERM
    for command in (0, 1, 2, 3, 4, 1030):
        assert verdict(machine, "fcntl", 5, command) == ALLOW
    for command in (8, 10, 15):
        assert verdict(machine, "fcntl", 5, command) == ERROR | EPERM
    assert verdict(machine, "ioctl", 5, 0x5421) == ALLOW
    assert verdict(machine, "ioctl", 5, 0x5412) == ERROR | EPERM, "TIOCSTI"
    assert verdict(machine, "prctl", 15) == ALLOW
    assert verdict(machine, "prctl", 4) == ERROR | EPERM
    assert verdict(machine, 100_000) == ERROR | EPERM
    assert verdict(machine, "read", architecture=0x40000003) == KILL
    assert verdict(machine, 0x40000000) == KILL


def test_the_numbers_are_those_of_the_kernel() -> None:
    """Where its headers are; x86_64's are the ones that every Debian with a compiler has."""
    header = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
    if header.exists():
        real = {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)", header.read_text())}
        assert {name: real[name] for name in numbers("x86_64")} == numbers("x86_64")
    for machine in ARCHITECTURES:
        known = numbers(machine)
        assert len(set(known.values())) == len(known)


DANGEROUS = """
execve fork vfork ptrace mount unshare setns setuid setresuid chroot pivot_root bpf io_uring_setup add_key keyctl
memfd_create process_vm_readv pidfd_open pidfd_getfd perf_event_open userfaultfd shmget msgget semget mknod
"""


def test_what_is_dangerous_is_not_allowed() -> None:
    assert not set(DANGEROUS.split()) & set(numbers("x86_64"))


def test_the_runtime_is_named_by_its_content(monkeypatch: pytest.MonkeyPatch) -> None:
    name = runtime.name()
    assert re.fullmatch(rf"py{sys.version_info.major}\.{sys.version_info.minor}-[0-9a-f]{{8}}", name)
    assert "numpy" in runtime.describe()["packages"]
    runtime.name.cache_clear()
    runtime.describe.cache_clear()
    monkeypatch.setattr(runtime, "MEMORY_BYTES", 1)
    try:
        assert runtime.name() != name
    finally:
        runtime.name.cache_clear()
        runtime.describe.cache_clear()


def test_no_two_bots_at_a_time_have_the_same_user() -> None:
    uids = {outer.uid_of(process) for process in range(1, 100_000)}
    assert len(uids) == 99_999
    assert min(uids) > outer.UNUSED_UIDS


def test_a_group_is_made_limited_and_taken_away() -> None:
    group = cgroups.make()
    if not cgroups.controllers():
        assert group is None
        return
    assert group is not None
    assert "memory" in cgroups.controllers()
    with subprocess.Popen(["sleep", "100"]) as process:
        group.take([process.pid])
        inside = Path(f"/proc/{process.pid}/cgroup").read_text()
        assert f"arena-bot-{os.getpid()}-" in inside
        process.kill()
    group.remove()
    assert not [folder for folder in group._folders if folder.exists()]


AS_A_USER = """
import asyncio, json, os, sys
from pathlib import Path
from arena.sandbox.detect import detect
from tests.arena.houses import GOOD, House
found = detect()
async def main():
    house = House(Path(sys.argv[1]))
    attack = "import os\\ntry:\\n    os.kill(os.getppid(), 15)\\nexcept OSError as error:\\n    print(error)\\n"
    await house.open(GOOD + attack, GOOD)
    record = await house.match()
    await house.close()
    return len(record.steps), house.printed
print(json.dumps([os.geteuid(), found.strong, found.broken, found.why, asyncio.run(main())]))
"""


def test_it_is_strong_without_root_too(tmp_path: Path) -> None:
    """By user namespaces, which need no privileges."""
    alone = ["unshare", "--user", "--map-user=65534", "--map-group=65534"] if os.geteuid() == 0 else []
    ran = subprocess.run(
        [*alone, sys.executable, "-c", AS_A_USER, str(tmp_path / "house")], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    uid, strong, broken, why, (steps, printed) = json.loads(ran.stdout)
    assert uid != 0
    assert strong, (broken, why)
    assert steps > 3
    assert printed == ["[Errno 1] Operation not permitted\n", ""]
