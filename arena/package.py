"""What an author hands in: one ``.py`` file, or a zip or a folder with ``bot.py`` in it; read, checked, named.

Nothing in it is believed. Sizes are counted while reading, names are taken only if they are harmless everywhere, and
no code is run: source is compiled, which finds mistakes in it, and the outcome is thrown away. A package is named by
its content alone, so that the order of a zip or the dates in it make no other version.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, NamedTuple

from arena.siblings import ENTRY

MOST_BYTES = 1 << 20
"""As it is handed in: a file, or a zip."""

MOST_UNPACKED = 4 << 20
"""Bytes of all files together."""

MOST_SOURCE = 512 << 10
"""Bytes of one ``.py`` file: the compiler takes a hundred times as much memory."""

MOST_FILES = 200

LONGEST_PATH = 120

_IGNORED = frozenset({"__pycache__", "__MACOSX"})
"""What systems put beside one's files unasked, as they do with names that begin with a dot."""

_NAME = re.compile(r"[A-Za-z0-9_ .,+=@()\[\]~-]+")

_ENTRY_HEADER = struct.Struct("<26xHH")
"""Of a local header in a zip: the lengths of the name and of the extra field, which stand before the data."""


class PackageError(Exception):
    """What was handed in is refused. The message is for its author."""


class Package(NamedTuple):
    """What an author handed in."""

    files: Mapping[str, bytes]
    """By path, in the order of the paths; folders are told by ``/``."""

    @property
    def entry(self) -> str:
        """The path of the file with the bot."""
        return ENTRY

    @property
    def digest(self) -> str:
        """``sha256:`` and the hash of the content: of the file itself where it is one, else of the list of them all."""
        if len(self.files) == 1:
            return _digest(self.files[ENTRY])
        lines = [f"{hashlib.sha256(data).hexdigest()} {path}\n" for path, data in self.files.items()]
        return _digest(b"arena package 1\n" + "".join(lines).encode())

    @property
    def filename(self) -> str:
        """What `content` is called: ``bot.py`` or ``bot.zip``."""
        return ENTRY if len(self.files) == 1 else "bot.zip"

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(map(len, self.files.values()))

    def content(self) -> bytes:
        """The package in one piece: the file itself, or a zip that is the same for the same files."""
        if len(self.files) == 1:
            return self.files[ENTRY]
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path, data in self.files.items():
                info = zipfile.ZipInfo(path)  # dated 1980
                info.compress_type = zipfile.ZIP_DEFLATED
                info.create_system = 3
                info.external_attr = (stat.S_IFREG | 0o644) << 16
                archive.writestr(info, data)
        return packed.getvalue()


Check = Callable[[Mapping[str, bytes]], None]
"""Looks at the sources among the files of a package. Raises `PackageError`."""


def check_syntax(files: Mapping[str, bytes]) -> None:
    """Compile every ``.py`` file, without running anything.

    A source that is made to hurt can take the compiler down: of strangers, check it in a process of its own.

    Raises:
        PackageError: one is no Python; with its line.
    """
    for path, data in files.items():
        if not path.endswith(".py"):
            continue
        try:
            data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise PackageError(f"{path}:{line}: this is not UTF-8; save the file in that encoding") from error
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # an author's odd escape is no mistake of ours
                compile(data, path, "exec", dont_inherit=True)
        except SyntaxError as error:
            where = f"{path}:{error.lineno}" if error.lineno else path
            text = f": {error.text.strip()[:120]}" if error.text and error.text.strip() else ""
            raise PackageError(f"{where}: syntax error: {error.msg}{text}") from error
        except (ValueError, MemoryError, RecursionError, OverflowError) as error:
            raise PackageError(f"{path}: this cannot be compiled: {str(error) or type(error).__name__}") from error


def read_package(data: bytes, filename: str, *, check: Check = check_syntax) -> Package:
    """The package in what an author hands in.

    Args:
        data: a Python source, or a zip.
        filename: what it is called; its ending says which of them it is.
        check: looks at the sources.

    Raises:
        PackageError: it is refused.
    """
    if len(data) > MOST_BYTES:
        raise PackageError(f"{_shown(filename)} has {len(data):,} bytes; at most {MOST_BYTES:,} are taken")
    return _checked(_files(data, filename), check)


def read_folder(folder: Path, *, check: Check = check_syntax) -> Package:
    """The package in a folder of one's own.

    Raises:
        PackageError: it cannot be read, or would be refused.
    """
    found: dict[str, bytes] = {}
    size = 0
    try:
        for path in _walk(folder):
            name = path.relative_to(folder).as_posix()
            _check_name(name)
            if path.is_symlink() or not path.is_file():
                raise PackageError(f"{name} is a link or a device; only files can be handed in")
            size += path.stat().st_size
            if size > MOST_UNPACKED:
                raise PackageError(f"{folder} has more than {MOST_UNPACKED:,} bytes in its files")
            found[name] = path.read_bytes()
            if len(found) > MOST_FILES:
                raise PackageError(f"{folder} has more than {MOST_FILES} files")
    except OSError as error:
        raise PackageError(f"{error.filename or folder}: {error.strerror or error}") from error
    if ENTRY not in found:
        raise PackageError(f"there is no {ENTRY} in {folder}; the file with the bot has that name")
    return _checked(found, check)


def stored_package(content: bytes, filename: str) -> Package:
    """The package whose `Package.content` this is: it was checked when it was handed in."""
    return Package(dict(sorted(_files(content, filename).items())))


def unpack(package: Package, folder: Path) -> Path:
    """Write the files into ``folder``, read-only; returns the path of the entry.

    Raises:
        PackageError: something stands in the way. No link is followed, and no file is replaced.
    """
    folder.mkdir(exist_ok=True)
    for name, data in package.files.items():
        *parents, last = name.split("/")
        place = folder
        for part in parents:
            place /= part
            try:
                place.mkdir()
            except FileExistsError:
                if not stat.S_ISDIR(place.lstat().st_mode):
                    raise PackageError(f"{place} is in the way") from None
        try:
            file = os.open(place / last, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o444)
        except FileExistsError:
            raise PackageError(f"{place / last} is in the way") from None
        with os.fdopen(file, "wb") as out:
            out.write(data)
    return folder / package.entry


@contextmanager
def opened(path: Path) -> Iterator[Path]:
    """The folder or the file of a bot at ``path``: a zip is unpacked for as long as the context lasts.

    Raises:
        PackageError: the zip would be refused, or cannot be read.
    """
    if path.suffix != ".zip" or path.is_dir():
        yield path
        return
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PackageError(f"{path}: {error.strerror or error}") from error
    package = read_package(data, path.name)
    with TemporaryDirectory(prefix="arena-") as folder:
        inner = Path(folder, path.stem)
        unpack(package, inner)
        yield inner


# ---- what it is made of --------------------------------------------------------------------------


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _files(data: bytes, filename: str) -> dict[str, bytes]:
    kind = Path(filename).suffix.lower()
    if kind == ".zip":
        return _unzip(data)
    if kind != ".py":
        raise PackageError(f"{_shown(filename)}: a bot is handed in as a .py file or as a .zip with {ENTRY} in it")
    if data.startswith(b"PK\x03\x04"):
        raise PackageError(f"{_shown(filename)} is a zip; let its name end in .zip")
    return {ENTRY: data}


def _checked(files: Mapping[str, bytes], check: Check) -> Package:
    """The package of these files, once their names fit together and their sources are Python."""
    package = Package(dict(sorted(files.items())))
    if not package.files[ENTRY].strip():
        raise PackageError(f"{ENTRY} is empty")
    _check_collisions(package.files)
    for path, data in package.files.items():
        if path.endswith(".py") and len(data) > MOST_SOURCE:
            raise PackageError(f"{path} has {len(data):,} bytes; a source has at most {MOST_SOURCE:,}")
    check(package.files)
    return package


def _check_name(name: str) -> None:
    """Refuse a name that means something else somewhere."""
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        raise PackageError(f"{_shown(name)}: this is an absolute path")
    if len(name) > LONGEST_PATH:
        raise PackageError(f"{_shown(name)}: a path has at most {LONGEST_PATH} characters")
    for part in name.split("/"):
        if part in ("..", "."):
            raise PackageError(f"{_shown(name)}: this path leads out of the package")
        if not _NAME.fullmatch(part):
            raise PackageError(
                f"{_shown(name)}: names are made of letters from A to Z, digits, spaces and _ . , + - = @ ~ ( ) [ ]"
            )


def _check_collisions(names: Iterable[str]) -> None:
    """Refuse names that are one and the same on some machines, or both a file and a folder."""
    seen: dict[str, tuple[str, bool]] = {}
    for name in names:
        parts = name.split("/")
        for length in range(1, len(parts) + 1):
            path = "/".join(parts[:length])
            is_file = length == len(parts)
            other = seen.setdefault(path.casefold(), (path, is_file))
            if other != (path, is_file):
                raise PackageError(f"{_shown(other[0])} and {_shown(path)} are in each other's way")


def _shown(text: str) -> str:
    """Somebody's text, fit to stand in a message."""
    short = text if len(text) <= 60 else text[:60] + "…"
    return short if short.isprintable() else ascii(short)


def _left_out(name: str) -> bool:
    return any(part in _IGNORED or (part.startswith(".") and part not in (".", "..")) for part in name.split("/"))


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if _left_out(path.name):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path)
        else:
            yield path


# ---- zips ----------------------------------------------------------------------------------------


def _unzip(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found = _read_all(archive, data)
    except PackageError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, struct.error) as error:
        raise PackageError(f"this zip cannot be read: {_shown(str(error)) or type(error).__name__}") from error
    except (ValueError, OverflowError, OSError, IndexError) as error:
        raise PackageError("this zip cannot be read: it is damaged") from error
    return _at_root(found)


def _read_all(archive: zipfile.ZipFile, data: bytes) -> dict[str, bytes]:
    wanted = _wanted(archive.infolist())
    _check_overlaps(wanted, data)
    found: dict[str, bytes] = {}
    left = MOST_UNPACKED
    for info in wanted:
        with archive.open(info) as file:
            # what the header says of the size is not believed
            content = _read_at_most(file, left)
        left -= len(content)
        found[info.filename] = content
    return found


def _wanted(infos: Iterable[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """The files among the entries, once everything has a name and a kind that can be taken."""
    wanted: list[zipfile.ZipInfo] = []
    names: set[str] = set()
    for info in infos:
        name = info.orig_filename
        if "\0" in name or "\\" in name:
            raise PackageError(f"{_shown(name)}: this name has signs that no name has")
        if name in names:
            raise PackageError(f"{_shown(name)} is in the zip twice")
        names.add(name)
        folder = name.endswith("/")
        if name.startswith("/") or ".." in name.split("/"):
            _check_name(name)
        if _left_out(name):
            continue
        _check_name(name.rstrip("/") if folder else name)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFDIR if folder else stat.S_IFREG):
            raise PackageError(f"{_shown(name)} is a link or a device; only files can be handed in")
        if info.flag_bits & 0x2041:
            raise PackageError(f"{_shown(name)} is encrypted; hand it in without a password")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise PackageError(f"{_shown(name)} is compressed in a way that is not taken; use plain deflate")
        if not folder:
            wanted.append(info)
            if len(wanted) > MOST_FILES:
                raise PackageError(f"there are more than {MOST_FILES} files in the zip")
    return wanted


def _check_overlaps(infos: Iterable[zipfile.ZipInfo], data: bytes) -> None:
    """Refuse entries that share their bytes: a few kilobytes could stand for a great deal."""
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end:
            raise PackageError(f"{_shown(info.filename)}: its bytes belong to another file of the zip, too")
        name, extra = _ENTRY_HEADER.unpack_from(data, info.header_offset)
        end = info.header_offset + _ENTRY_HEADER.size + name + extra + info.compress_size


def _read_at_most(file: IO[bytes], left: int) -> bytes:
    parts: list[bytes] = []
    while part := file.read(65_536):
        left -= len(part)
        if left < 0:
            raise PackageError(f"the files in the zip have more than {MOST_UNPACKED:,} bytes together")
        parts.append(part)
    return b"".join(parts)


def _at_root(found: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files as seen from the folder with the entry in it."""
    if ENTRY in found:
        return dict(found)
    tops = {name.partition("/")[0] for name in found}
    if len(tops) == 1 and (top := next(iter(tops))) + "/" + ENTRY in found:
        return {name.removeprefix(f"{top}/"): data for name, data in found.items()}
    raise PackageError(f"there is no {ENTRY} at the root of the zip, nor in its only top folder")
