"""What authors hand in: read with a bound, refused where it could hurt, and named by its content."""

from __future__ import annotations

import hashlib
import io
import random
import stat
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena import package
from arena.package import (
    ENTRY,
    MOST_BYTES,
    MOST_FILES,
    MOST_UNPACKED,
    Package,
    PackageError,
    opened,
    read_folder,
    read_package,
    stored_package,
    unpack,
)

BOT = b'GAME = "three_coins"\n\n\ndef choose(view):\n    return view.legal[0]\n'


def zipped(files: Mapping[str, bytes] | list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    pairs = files.items() if isinstance(files, Mapping) else files
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, data in pairs:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return packed.getvalue()


def refused(data: bytes, why: str, filename: str = "bot.zip") -> None:
    with pytest.raises(PackageError, match=why):
        read_package(data, filename)


# ---- what is taken -------------------------------------------------------------------------------


def test_a_file_is_named_by_its_content_whatever_it_is_called() -> None:
    read = read_package(BOT, "Brave bot.py")
    assert read.files == {ENTRY: BOT}
    assert read.digest == "sha256:" + hashlib.sha256(BOT).hexdigest()
    assert (read.filename, read.content(), read.entry, read.size) == (ENTRY, BOT, ENTRY, len(BOT))
    assert read_package(zipped({"bot.py": BOT}), "x.zip").digest == read.digest
    assert read_package(zipped({"brave/bot.py": BOT}), "x.ZIP").digest == read.digest


def test_a_zip_is_named_by_its_content_and_not_by_order_dates_or_top_folder(tmp_path: Path) -> None:
    files = {"bot.py": BOT, "helpers/__init__.py": b"", "table.bin": bytes(range(256))}
    first = read_package(zipped(files), "a.zip")
    assert list(first.files) == sorted(files)
    backwards = dict(reversed(files.items()))
    assert read_package(zipped(backwards, zipfile.ZIP_STORED), "b.zip").digest == first.digest
    nested = {f"mine/{name}": data for name, data in files.items()}
    assert read_package(zipped(nested), "c.zip").digest == first.digest
    beside = {**files, "__MACOSX/._bot.py": b"x", ".DS_Store": b"x", "__pycache__/bot.pyc": b"x", ".git/config": b""}
    assert read_package(zipped(beside), "d.zip").digest == first.digest
    for name, data in beside.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_bytes(data)
    assert read_folder(tmp_path) == first
    assert stored_package(first.content(), first.filename) == first
    assert stored_package(first.content(), first.filename).content() == first.content()
    renamed = {**files, "table.txt": files["table.bin"]}
    del renamed["table.bin"]
    assert read_package(zipped(renamed), "e.zip").digest != first.digest


names = st.from_regex(r"[a-z]{1,3}(/[a-z]{1,3}){0,2}\.txt", fullmatch=True)


@settings(deadline=None)
@given(st.dictionaries(names, st.binary(max_size=200), max_size=6), st.randoms(use_true_random=False))
def test_what_goes_in_comes_out(files: dict[str, bytes], shuffler: random.Random) -> None:
    whole = {**files, ENTRY: BOT}
    pairs = list(whole.items())
    shuffler.shuffle(pairs)
    read = read_package(zipped(pairs), "x.zip")
    assert read.files == whole
    assert list(read.files) == sorted(whole)
    assert read.digest == Package(dict(sorted(whole.items()))).digest
    assert stored_package(read.content(), read.filename) == read


@settings(deadline=None)
@given(
    st.dictionaries(names, st.binary(max_size=20), max_size=3),
    st.dictionaries(names, st.binary(max_size=20), max_size=3),
)
def test_the_same_name_means_the_same_files(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    packages = [Package(dict(sorted({**files, ENTRY: BOT}.items()))) for files in (one, other)]
    assert (packages[0].digest == packages[1].digest) == (packages[0].files == packages[1].files)


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../bot.py", "leads out"),
        ("a/../../bot.py", "leads out"),
        ("./x.py", "leads out"),
        ("/etc/passwd", "absolute"),
        ("C:/x.py", "absolute"),
        ("..\\x.py", "signs that no name has"),
        ("a//b.py", "names are made of"),
        ("bot\n.py", "names are made of"),
        ("bоt2.py", "names are made of"),  # a Cyrillic о
        ("x" * 121, "at most 120"),
        ("../__pycache__/x", "leads out"),
        ("/__MACOSX/x", "absolute"),
    ],
)
def test_names_that_mean_something_else_somewhere(name: str, why: str) -> None:
    refused(zipped({"bot.py": BOT, name: b""}), why)


def test_a_name_that_ends_early() -> None:
    refused(zipped({"bot.py": BOT, "x0y.py": b""}).replace(b"x0y.py", b"x\0y.py"), "signs that no name has")


@pytest.mark.parametrize(
    "files",
    [
        {"bot.py": BOT, "Bot.py": BOT},
        {"bot.py": BOT, "a/x": b"", "A/y": b""},
        {"bot.py": BOT, "lib": b"", "lib/x.py": b""},
        {"bot.py": BOT, "LIB": b"", "lib/x.py": b""},
    ],
)
def test_names_in_each_others_way(files: dict[str, bytes]) -> None:
    refused(zipped(files), "in each other's way")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_twice() -> None:
    refused(zipped([("bot.py", BOT), ("bot.py", b"")]), "twice")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFDIR])
def test_links_and_devices(kind: int) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bot.py", BOT)
        info = zipfile.ZipInfo("x")
        info.external_attr = (kind | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    refused(packed.getvalue(), "a link or a device")


def test_a_bomb_is_not_unpacked() -> None:
    bomb = zipped({"bot.py": BOT, "zeros": bytes(40 * MOST_UNPACKED)})
    assert len(bomb) < MOST_BYTES
    refused(bomb, "more than 4,194,304 bytes together")
    many = zipped({"bot.py": BOT} | {f"zeros{number}": bytes(MOST_UNPACKED // 4) for number in range(5)})
    refused(many, "more than 4,194,304 bytes together")


def test_lying_sizes_are_not_believed() -> None:
    bomb = zipped({"bot.py": BOT, "zeros": bytes(2 * MOST_UNPACKED)})
    real, small = struct.pack("<L", 2 * MOST_UNPACKED), struct.pack("<L", 10)
    assert bomb.count(real) == 2
    refused(bomb.replace(real, small), "cannot be read")
    honest = zipped({"bot.py": BOT, "x": b"0123456789" * 7})
    boasting = honest.replace(struct.pack("<L", 70), struct.pack("<L", 2**31 - 1))
    assert boasting != honest
    assert read_package(boasting, "x.zip") == read_package(honest, "x.zip")


def test_entries_that_share_their_bytes() -> None:
    inner = zipped({"bot.py": BOT, "a": b"a" * 9})
    # the directory's last entry is pointed at the first file's bytes
    at = inner.rindex(b"PK\x01\x02")
    overlapping = inner[: at + 42] + struct.pack("<L", 0) + inner[at + 46 :]
    refused(overlapping, "belong to another file")


def test_encrypted_and_strangely_compressed() -> None:
    plain = zipped({"bot.py": BOT})
    at = plain.index(b"PK\x01\x02")
    refused(plain[: at + 8] + b"\x01\x00" + plain[at + 10 :], "encrypted")
    refused(zipped({"bot.py": BOT}, zipfile.ZIP_BZIP2), "compressed in a way")
    refused(zipped({"bot.py": BOT}, zipfile.ZIP_LZMA), "compressed in a way")


def test_too_much() -> None:
    refused(b"#" * (MOST_BYTES + 1), "has 1,048,577 bytes", "bot.py")
    refused(b"#" * (package.MOST_SOURCE + 1), "a source has at most", "bot.py")
    refused(zipped({"bot.py": BOT} | {f"f{number}": b"" for number in range(MOST_FILES)}), "more than 200 files")
    read_package(zipped({"bot.py": BOT} | {f"f{number}": b"" for number in range(MOST_FILES - 1)}), "bot.zip")


def test_no_entry() -> None:
    refused(zipped({}), "no bot.py")
    refused(zipped({"main.py": BOT}), "no bot.py")
    refused(zipped({"a/bot.py": BOT, "b/x.py": b""}), "no bot.py")
    refused(zipped({"a/b/bot.py": BOT}), "no bot.py")
    refused(BOT, "as a .py file or as a .zip", "bot.txt")
    refused(BOT, "as a .py file or as a .zip", "bot")
    refused(BOT, "cannot be read", "bot.zip")
    refused(zipped({"bot.py": BOT}), "is a zip", "bot.py")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (b"def choose(view)\n    pass\n", r"bot.py:1: syntax error: expected ':': def choose\(view\)"),
        (b"x = 1\ny = 'caf\xe9'\n", "bot.py:2: this is not UTF-8"),
        (b"x = 1\0", "bot.py: (this cannot be compiled|syntax error): source code string cannot contain null bytes"),
        (b"# -*- coding: nonsense -*-\n", "syntax error: unknown encoding"),
        (b"(" * 500 + b")" * 500, "too many nested parentheses"),
        (b"-" * 100_000 + b"1", "bot.py: (this cannot be compiled|syntax error)"),
    ],
)
def test_what_is_no_python(source: bytes, why: str) -> None:
    refused(source, why, "mine.py")
    refused(zipped({"bot.py": BOT, "lib/helper.py": source}), why.replace("bot.py", "lib/helper.py"))


def test_nothing_is_run_and_odd_escapes_are_no_fault(tmp_path: Path) -> None:
    witness = tmp_path / "run"
    read_package(f"open({str(witness)!r}, 'w')\nprint('\\d')\n".encode(), "bot.py")
    assert not witness.exists()


@settings(deadline=None)
@given(st.binary(max_size=300))
@example(b"PK\x05\x06" + bytes(18))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with pytest.raises(PackageError):
        read_package(data, "x.zip")


@settings(deadline=None)
@given(st.data())
def test_a_damaged_zip_is_read_or_refused(data: st.DataObject) -> None:
    whole = bytearray(zipped({"bot.py": BOT, "a/helper.py": b"X = 1\n", "t.bin": bytes(50)}))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        read = read_package(bytes(whole), "x.zip")
    except PackageError:
        return
    assert ENTRY in read.files
    assert read.size <= MOST_UNPACKED


# ---- folders and unpacking -----------------------------------------------------------------------


def test_unpacked_files_are_read_only_and_links_are_not_followed(tmp_path: Path) -> None:
    read = read_package(zipped({"bot.py": BOT, "a/b/x.txt": b"x"}), "x.zip")
    entry = unpack(read, tmp_path / "one")
    assert entry.read_bytes() == BOT
    assert (tmp_path / "one/a/b/x.txt").read_bytes() == b"x"
    assert stat.S_IMODE(entry.stat().st_mode) & 0o222 == 0
    with pytest.raises(PackageError, match="in the way"):
        unpack(read, tmp_path / "one")

    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "two/a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PackageError, match="in the way"):
        unpack(read, tmp_path / "two")
    assert not list((tmp_path / "elsewhere").iterdir())

    (tmp_path / "three").mkdir()
    (tmp_path / "three/bot.py").symlink_to(tmp_path / "target")
    with pytest.raises(PackageError, match="in the way"):
        unpack(read, tmp_path / "three")
    assert not (tmp_path / "target").exists()


def test_a_folder_with_a_link_or_without_an_entry_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match=r"no bot\.py"):
        read_folder(tmp_path)
    (tmp_path / "bot.py").write_bytes(BOT)
    assert read_folder(tmp_path).files == {ENTRY: BOT}
    (tmp_path / "data.txt").symlink_to("/etc/passwd")
    with pytest.raises(PackageError, match="a link or a device"):
        read_folder(tmp_path)
    with pytest.raises(PackageError, match="No such file"):
        read_folder(tmp_path / "nothing")


def test_a_zip_is_open_only_for_a_while(tmp_path: Path) -> None:
    file = tmp_path / "brave.zip"
    file.write_bytes(zipped({"bot.py": BOT}))
    with opened(file) as folder:
        assert folder.name == "brave"
        assert (folder / "bot.py").read_bytes() == BOT
    assert not folder.exists()
    with opened(tmp_path / "x.py") as same:
        assert same == tmp_path / "x.py"
    with pytest.raises(PackageError, match="No such file"), opened(tmp_path / "none.zip"):
        pass
