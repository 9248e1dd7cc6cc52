"""Stores that fail, files that somebody else wrote, and what the files look like."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from countersign import ConnectionError, Countersign, FileGraceStore, GraceStore
from countersign._grace import Grace
from local_server import REFUSED_BODY, VALID_BODY, answer, saying

KEY = "ABCD-EFGH-JKMN-PQRS"
AWAY = "http://127.0.0.1:9"


def client(url: str, store: GraceStore, api_key: str = "csk_test", cache_entries: int = 1000) -> Countersign:
    return Countersign(
        api_key,
        url,
        cache_seconds=0,
        cache_entries=cache_entries,
        grace_seconds=3600,
        grace_store=store,
        clock=QuickClock(),
        timeout_seconds=2,
    )


class QuickClock:
    def wall(self) -> float:
        return 1_800_000_000

    def steady(self) -> float:
        return 1

    def sleep(self, _seconds: float) -> None:
        pass


class Broken:
    """Like a disk that is full, or a folder that is not ours."""

    def __init__(self, inner: GraceStore, *broken: str) -> None:
        self.inner = inner
        self.broken = broken

    def load(self, name: str) -> str | None:
        if "load" in self.broken:
            raise PermissionError("load")
        return self.inner.load(name)

    def save(self, name: str, text: str) -> None:
        if "save" in self.broken:
            raise OSError("No space left on device")
        self.inner.save(name, text)

    def remove(self, name: str) -> None:
        if "remove" in self.broken:
            raise PermissionError("remove")
        self.inner.remove(name)


def test_a_store_that_fails_takes_no_verdict_away(tmp_path: Path) -> None:
    files = FileGraceStore(tmp_path)
    with saying([answer(VALID_BODY)], [answer(REFUSED_BODY)]) as server:
        broken = client(server.url, Broken(files, "load", "save", "remove"))
        assert broken.validate(KEY).valid
        assert broken.validate(KEY).status == "revoked"
    with pytest.raises(ConnectionError):
        client(AWAY, Broken(files, "load")).validate(KEY)


def test_what_cannot_be_noted_grants_nothing(tmp_path: Path) -> None:
    files = FileGraceStore(tmp_path)
    with saying([answer(VALID_BODY)]) as server:
        assert client(server.url, files).validate(KEY).valid
    assert client(AWAY, files).validate(KEY).source == "grace"
    with pytest.raises(ConnectionError):
        client(AWAY, Broken(files, "save")).validate(KEY)


def test_a_refusal_ends_the_grace_even_if_the_file_stays(tmp_path: Path) -> None:
    store = Broken(FileGraceStore(tmp_path), "remove")
    with saying([answer(VALID_BODY)], [answer(REFUSED_BODY)], [answer(b"", "503 Away")]) as server:
        one = client(server.url, store)
        assert one.validate(KEY).valid
        assert one.validate(KEY).status == "revoked"
        assert not one.check(KEY).allowed


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"0" * 64 + b".{}", "ä".encode() * 40, b"\xed\xb3\xbf"])
def test_a_file_of_somebody_else(tmp_path: Path, content: bytes) -> None:
    files = FileGraceStore(tmp_path)
    with saying([answer(VALID_BODY)]) as server:
        client(server.url, files).validate(KEY)
    (path,) = tmp_path.iterdir()
    path.write_bytes(content)
    with pytest.raises(ConnectionError):
        client(AWAY, files).validate(KEY)


def test_a_file_of_another_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = FileGraceStore(tmp_path)
    with monkeypatch.context() as patch, saying([answer(VALID_BODY)]) as server:
        patch.setattr("countersign._grace._plain", lambda _: {"valid": True, "something": "new"})
        client(server.url, files).validate(KEY)
    with pytest.raises(ConnectionError):
        client(AWAY, files).validate(KEY)


def test_two_products_in_one_folder(tmp_path: Path) -> None:
    files = FileGraceStore(tmp_path)
    with saying([answer(VALID_BODY)]) as server:
        client(server.url, files, "csk_one").validate(KEY)
        client(server.url, files, "csk_two").validate(KEY)
    assert client(AWAY, files, "csk_one").validate(KEY).source == "grace"
    assert client(AWAY, files, "csk_two").validate(KEY).source == "grace"


def test_the_key_is_not_in_the_files(tmp_path: Path) -> None:
    with saying([answer(VALID_BODY)]) as server:
        client(server.url, FileGraceStore(tmp_path)).validate(KEY)
    (path,) = tmp_path.iterdir()
    assert KEY not in path.name and KEY not in path.read_text("utf-8")
    assert "csk_test" not in path.name and "csk_test" not in path.read_text("utf-8")


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions.")
def test_nobody_else_reads_the_files(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    before = os.umask(0)
    try:
        FileGraceStore(folder).save("name", "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "name.countersign").stat().st_mode) == 0o600


@pytest.mark.skipif(os.name == "nt", reason="Windows makes links only for some.")
def test_a_link_that_somebody_laid_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other"
    other.write_text("kept", "utf-8")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / f"name.{os.getpid()}.{threading.get_ident()}").symlink_to(other)
    FileGraceStore(folder).save("name", "text")
    assert other.read_text("utf-8") == "kept"


def test_nothing_is_left_of_a_save_that_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise PermissionError("in use")

    store = FileGraceStore(tmp_path)
    store.save("name", "before")
    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(PermissionError):
        store.save("name", "after")
    assert [path.name for path in tmp_path.iterdir()] == ["name.countersign"]
    assert store.load("name") == "before"


def test_many_threads_write_one_file(tmp_path: Path) -> None:
    store = FileGraceStore(tmp_path)
    texts = [str(number) * 5000 for number in range(8)]
    threads = [threading.Thread(target=store.save, args=("name", text)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.load("name") in texts
    assert len(list(tmp_path.iterdir())) == 1


def test_memory_does_not_grow_with_every_license() -> None:
    with saying([answer(VALID_BODY)]) as server:
        one = Countersign("csk_test", server.url, cache_entries=5, grace_seconds=60)
        for number in range(12):
            one.validate(f"{KEY}-{number}")
        assert len(one._grace._said_steady) <= 5


def test_however_many_are_refused_none_is_granted_from_a_store_that_could_not_remove_it(tmp_path: Path) -> None:
    store = Broken(FileGraceStore(tmp_path), "remove")
    keys = [f"{KEY}-{number}" for number in range(5)]
    with saying([answer(VALID_BODY)]) as server:
        earlier = client(server.url, store)
        for key in [*keys, "OLD"]:
            assert earlier.validate(key).valid
    replies = [[answer(REFUSED_BODY)]] * 5 + [[answer(VALID_BODY)], [answer(b"", "503 Away")]]
    with saying(*replies) as server:
        one = client(server.url, store, cache_entries=2)
        for key in keys:
            assert one.validate(key).status == "revoked"
        assert len(one._grace._refused) <= 2
        assert one.validate("NEW").valid
        for key in keys:
            assert not one.check(key).allowed
        assert one.validate("NEW").source == "grace"
        # Nobody knows any more which were refused, so that of an earlier process counts for nothing.
        assert not one.check("OLD").allowed


def test_what_is_granted_after_it_was_refused_has_its_grace_again(tmp_path: Path) -> None:
    store = Broken(FileGraceStore(tmp_path), "remove")
    with saying([answer(REFUSED_BODY)], [answer(VALID_BODY)], [answer(b"", "503 Away")]) as server:
        one = client(server.url, store)
        assert one.validate(KEY).status == "revoked"
        assert one.validate(KEY).valid
        assert one.validate(KEY).source == "grace"


def test_a_refusal_stays_although_somebody_was_just_being_granted_grace(tmp_path: Path) -> None:
    loading, go_on = threading.Event(), threading.Event()

    class Slow(FileGraceStore):
        def load(self, name: str) -> str | None:
            text = super().load(name)
            loading.set()
            go_on.wait(10)
            return text

    grace = Grace(3600, Slow(tmp_path), "csk_test", QuickClock(), 1000)
    with saying([answer(VALID_BODY)]) as server:
        result = client(server.url, FileGraceStore(tmp_path / "other")).validate(KEY)
    go_on.set()
    grace.granted(KEY, "1.0.0", result)
    go_on.clear()
    loading.clear()
    granting = threading.Thread(target=grace.last_word, args=[KEY, "1.0.0"])
    refusing = threading.Thread(target=grace.refused, args=[KEY])
    granting.start()
    assert loading.wait(10)
    refusing.start()
    # As long as it takes where nothing holds it up.
    refusing.join(0.2)
    go_on.set()
    granting.join(10)
    refusing.join(10)
    assert list(tmp_path.glob("*.countersign")) == []
