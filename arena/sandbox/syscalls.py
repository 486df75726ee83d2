"""The system calls that a hosted bot may make: what CPython, numpy and gRPC over a Unix socket need, and no more.

A list of what is allowed, not of what is forbidden: what a later kernel adds is not there until somebody has thought
about it. By name: the number on x86_64, and on aarch64, where some old calls do not exist.
"""

from __future__ import annotations

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""What the kernel calls the machines that the numbers below are for (``AUDIT_ARCH_...``)."""

SECCOMP = {"x86_64": 317, "aarch64": 277}

_NUMBERS: dict[str, tuple[int | None, int | None]] = {
    # files, all of which Landlock and the mounts judge again
    "read": (0, 63), "write": (1, 64), "open": (2, None), "close": (3, 57), "stat": (4, None), "fstat": (5, 80),
    "lstat": (6, None), "lseek": (8, 62), "pread64": (17, 67), "pwrite64": (18, 68), "readv": (19, 65),
    "writev": (20, 66), "access": (21, None), "sendfile": (40, 71), "fcntl": (72, 25),
    "fsync": (74, 82), "fdatasync": (75, 83), "truncate": (76, 45), "ftruncate": (77, 46), "getdents": (78, None),
    "getcwd": (79, 17), "chdir": (80, 49), "fchdir": (81, 50), "rename": (82, None), "mkdir": (83, None),
    "rmdir": (84, None), "creat": (85, None), "link": (86, None), "unlink": (87, None), "symlink": (88, None),
    "readlink": (89, None), "chmod": (90, None), "fchmod": (91, 52), "umask": (95, 166), "statfs": (137, 43),
    "fstatfs": (138, 44), "getdents64": (217, 61), "fadvise64": (221, 223), "utimes": (235, None),
    "openat": (257, 56), "mkdirat": (258, 34), "newfstatat": (262, 79), "unlinkat": (263, 35), "renameat": (264, 38),
    "linkat": (265, 37), "symlinkat": (266, 36), "readlinkat": (267, 78), "fchmodat": (268, 53),
    "faccessat": (269, 48), "utimensat": (280, 88), "fallocate": (285, 47), "preadv": (295, 69), "pwritev": (296, 70),
    "renameat2": (316, 276), "copy_file_range": (326, 285), "preadv2": (327, 286), "pwritev2": (328, 287),
    "statx": (332, 291), "close_range": (436, 436), "openat2": (437, 437), "faccessat2": (439, 439),
    "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24), "pipe": (22, None), "pipe2": (293, 59),
    # memory
    "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215), "brk": (12, 214), "mremap": (25, 216),
    "msync": (26, 227), "mincore": (27, 232), "madvise": (28, 233),
    # waiting
    "poll": (7, None), "select": (23, None), "sched_yield": (24, 124), "pause": (34, None), "nanosleep": (35, 101),
    "getitimer": (36, 102), "alarm": (37, None), "setitimer": (38, 103), "epoll_create": (213, None),
    "epoll_wait": (232, None), "epoll_ctl": (233, 21), "pselect6": (270, 72), "ppoll": (271, 73),
    "epoll_pwait": (281, 22), "timerfd_create": (283, 85), "eventfd": (284, None), "timerfd_settime": (286, 86),
    "timerfd_gettime": (287, 87), "eventfd2": (290, 19), "epoll_create1": (291, 20), "epoll_pwait2": (441, 441),
    "futex": (202, 98), "futex_waitv": (449, 449), "restart_syscall": (219, 128),
    # its own signals
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137), "rt_sigsuspend": (130, 133), "sigaltstack": (131, 132),
    # sockets; which kind is judged where they are made
    "connect": (42, 203), "accept": (43, 202), "sendto": (44, 206), "recvfrom": (45, 207), "sendmsg": (46, 211),
    "recvmsg": (47, 212), "shutdown": (48, 210), "bind": (49, 200), "listen": (50, 201), "getsockname": (51, 204),
    "getpeername": (52, 205), "setsockopt": (54, 208), "getsockopt": (55, 209), "accept4": (288, 242),
    "recvmmsg": (299, 243), "sendmmsg": (307, 269),
    # who and where it is, and what time
    "getpid": (39, 172), "uname": (63, 160), "gettimeofday": (96, 169), "getrlimit": (97, 163),
    "getrusage": (98, 165), "sysinfo": (99, 179), "times": (100, 153), "getuid": (102, 174), "getgid": (104, 176),
    "geteuid": (107, 175), "getegid": (108, 177), "getppid": (110, 173), "getpgrp": (111, None),
    "getgroups": (115, 158), "getresuid": (118, 148), "getresgid": (120, 150), "getpgid": (121, 155),
    "getsid": (124, 156), "getpriority": (140, 141), "sched_getparam": (143, 121), "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125), "sched_get_priority_min": (147, 126), "gettid": (186, 178),
    "sched_getaffinity": (204, 123), "clock_gettime": (228, 113), "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115), "getcpu": (309, 168), "getrandom": (318, 278),
    # threads
    "arch_prctl": (158, None), "set_tid_address": (218, 96), "set_robust_list": (273, 99), "membarrier": (324, 283),
    "rseq": (334, 293),
    # ends
    "exit": (60, 93), "exit_group": (231, 94), "waitid": (247, 95), "wait4": (61, 260),
    # allowed with certain arguments only: see arena.sandbox.seccomp
    "clone": (56, 220), "clone3": (435, 435), "ioctl": (16, 29), "kill": (62, 129),
    "tgkill": (234, 131), "prctl": (157, 167), "prlimit64": (302, 261), "sched_setaffinity": (203, 122),
    "socket": (41, 198), "socketpair": (53, 199),
}  # fmt: skip

JUDGED = (
    "clone", "clone3", "fcntl", "ioctl", "kill", "tgkill", "prctl", "prlimit64", "sched_setaffinity", "socket",
    "socketpair",
)  # fmt: skip
"""Those whose arguments matter."""


def numbers(machine: str) -> dict[str, int]:
    """The calls by name that exist on this machine (``x86_64`` or ``aarch64``)."""
    column = list(ARCHITECTURES).index(machine)
    return {name: number for name, both in _NUMBERS.items() if (number := both[column]) is not None}
