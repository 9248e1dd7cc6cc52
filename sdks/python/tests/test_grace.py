"""Failing stores, foreign files, and the content and permissions of the files."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from countersign import ConnectionError, Countersign, FileGraceStore, GraceStore
from countersign._grace import Grace
from countersign._grace_entries import GraceEntries
from countersign._reporter import Reporter
from local_server import REVOKED_BODY, VALID_BODY, answer, serving

KEY = "ABCD-EFGH-JKMN-PQRS"
UNREACHABLE = "http://127.0.0.1:9"


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


class FailingStore:
    """Fails like a full disk or a folder of another user."""

    def __init__(self, inner: GraceStore, *failing: str) -> None:
        self.inner = inner
        self.failing = failing

    def load(self, name: str) -> str | None:
        if "load" in self.failing:
            raise PermissionError("load")
        return self.inner.load(name)

    def save(self, name: str, text: str) -> None:
        if "save" in self.failing:
            raise OSError("No space left on device")
        self.inner.save(name, text)

    def remove(self, name: str) -> None:
        if "remove" in self.failing:
            raise PermissionError("remove")
        self.inner.remove(name)


def test_a_failing_store_changes_no_verdict(tmp_path: Path) -> None:
    files = FileGraceStore(tmp_path)
    with serving([answer(VALID_BODY)], [answer(REVOKED_BODY)]) as server:
        failing = client(server.url, FailingStore(files, "load", "save", "remove"))
        assert failing.validate(KEY).valid
        assert failing.validate(KEY).status == "revoked"
    with pytest.raises(ConnectionError):
        client(UNREACHABLE, FailingStore(files, "load")).validate(KEY)


def test_an_entry_that_cannot_be_updated_grants_nothing(tmp_path: Path) -> None:
    files = FileGraceStore(tmp_path)
    with serving([answer(VALID_BODY)]) as server:
        assert client(server.url, files).validate(KEY).valid
    assert client(UNREACHABLE, files).validate(KEY).source == "grace"
    with pytest.raises(ConnectionError):
        client(UNREACHABLE, FailingStore(files, "save")).validate(KEY)


def test_a_rejection_ends_the_grace_period_even_if_the_file_remains(tmp_path: Path) -> None:
    store = FailingStore(FileGraceStore(tmp_path), "remove")
    with serving([answer(VALID_BODY)], [answer(REVOKED_BODY)], [answer(b"", "503 Service Unavailable")]) as server:
        one = client(server.url, store)
        assert one.validate(KEY).valid
        assert one.validate(KEY).status == "revoked"
        assert not one.check(KEY).allowed


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"0" * 64 + b".{}", "ä".encode() * 40, b"\xed\xb3\xbf"])
def test_a_foreign_file_grants_nothing(tmp_path: Path, content: bytes) -> None:
    files = FileGraceStore(tmp_path)
    with serving([answer(VALID_BODY)]) as server:
        client(server.url, files).validate(KEY)
    (path,) = tmp_path.iterdir()
    path.write_bytes(content)
    with pytest.raises(ConnectionError):
        client(UNREACHABLE, files).validate(KEY)


def test_a_file_of_another_release_grants_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = FileGraceStore(tmp_path)
    with monkeypatch.context() as patch, serving([answer(VALID_BODY)]) as server:
        patch.setattr("countersign._grace.grant_of", lambda *_: {"valid": True, "something": "new"})
        client(server.url, files).validate(KEY)
    with pytest.raises(ConnectionError):
        client(UNREACHABLE, files).validate(KEY)


def test_two_products_can_share_a_folder(tmp_path: Path) -> None:
    files = FileGraceStore(tmp_path)
    with serving([answer(VALID_BODY)]) as server:
        client(server.url, files, "csk_one").validate(KEY)
        client(server.url, files, "csk_two").validate(KEY)
    assert client(UNREACHABLE, files, "csk_one").validate(KEY).source == "grace"
    assert client(UNREACHABLE, files, "csk_two").validate(KEY).source == "grace"


def test_the_files_do_not_contain_the_keys(tmp_path: Path) -> None:
    with serving([answer(VALID_BODY)]) as server:
        client(server.url, FileGraceStore(tmp_path)).validate(KEY)
    (path,) = tmp_path.iterdir()
    assert KEY not in path.name and KEY not in path.read_text("utf-8")
    assert "csk_test" not in path.name and "csk_test" not in path.read_text("utf-8")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no POSIX permissions.")
def test_only_the_owner_can_read_the_files(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    before = os.umask(0)
    try:
        FileGraceStore(folder).save("name", "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "name.countersign").stat().st_mode) == 0o600


@pytest.mark.skipif(os.name == "nt", reason="Windows restricts who can create links.")
def test_a_planted_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other"
    other.write_text("stored", "utf-8")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / f"name.{os.getpid()}.{threading.get_ident()}").symlink_to(other)
    FileGraceStore(folder).save("name", "text")
    assert other.read_text("utf-8") == "stored"


def test_a_failed_save_leaves_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise PermissionError("in use")

    store = FileGraceStore(tmp_path)
    store.save("name", "before")
    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(PermissionError):
        store.save("name", "after")
    assert [path.name for path in tmp_path.iterdir()] == ["name.countersign"]
    assert store.load("name") == "before"


def test_concurrent_saves_leave_one_complete_file(tmp_path: Path) -> None:
    store = FileGraceStore(tmp_path)
    texts = [str(number) * 5000 for number in range(8)]
    threads = [threading.Thread(target=store.save, args=("name", text)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.load("name") in texts
    assert len(list(tmp_path.iterdir())) == 1


def test_memory_is_bounded() -> None:
    with serving([answer(VALID_BODY)]) as server:
        one = Countersign("csk_test", server.url, cache_entries=5, grace_seconds=60)
        for number in range(12):
            one.validate(f"{KEY}-{number}")
        assert len(one._validations.grace._grant_times) <= 5


def test_a_rejected_license_gets_no_grace_period_even_after_its_rejection_was_evicted(tmp_path: Path) -> None:
    store = FailingStore(FileGraceStore(tmp_path), "remove")
    keys = [f"{KEY}-{number}" for number in range(5)]
    with serving([answer(VALID_BODY)]) as server:
        earlier = client(server.url, store)
        for key in [*keys, "OLD"]:
            assert earlier.validate(key).valid
    replies = [[answer(REVOKED_BODY)]] * 5 + [[answer(VALID_BODY)], [answer(b"", "503 Service Unavailable")]]
    with serving(*replies) as server:
        one = client(server.url, store, cache_entries=2)
        for key in keys:
            assert one.validate(key).status == "revoked"
        assert len(one._validations.grace._rejected) <= 2
        assert one.validate("NEW").valid
        for key in keys:
            assert not one.check(key).allowed
        assert one.validate("NEW").source == "grace"
        # A rejection was evicted from memory, so grants of an earlier process are ignored.
        assert not one.check("OLD").allowed


def test_a_license_that_is_valid_again_has_a_grace_period_again(tmp_path: Path) -> None:
    store = FailingStore(FileGraceStore(tmp_path), "remove")
    with serving([answer(REVOKED_BODY)], [answer(VALID_BODY)], [answer(b"", "503 Service Unavailable")]) as server:
        one = client(server.url, store)
        assert one.validate(KEY).status == "revoked"
        assert one.validate(KEY).valid
        assert one.validate(KEY).source == "grace"


def test_a_rejection_during_a_concurrent_grace_check_is_not_lost(tmp_path: Path) -> None:
    loading, resume = threading.Event(), threading.Event()

    class SlowStore(FileGraceStore):
        def load(self, name: str) -> str | None:
            text = super().load(name)
            loading.set()
            resume.wait(10)
            return text

    entries = GraceEntries(SlowStore(tmp_path), "csk_test", None)
    grace = Grace(3600, entries, Reporter(None, None, None), QuickClock(), 1000)
    with serving([answer(VALID_BODY)]) as server:
        result = client(server.url, FileGraceStore(tmp_path / "other")).validate(KEY)
    resume.set()
    grace.record_grant(KEY, "1.0.0", result)
    resume.clear()
    loading.clear()
    grace_check = threading.Thread(target=grace.grace_result, args=[KEY, "1.0.0"])
    rejection = threading.Thread(target=grace.record_rejection, args=[KEY])
    grace_check.start()
    assert loading.wait(10)
    rejection.start()
    # Enough time to finish, if nothing blocked it.
    rejection.join(0.2)
    resume.set()
    grace_check.join(10)
    rejection.join(10)
    assert list(tmp_path.glob("*.countersign")) == []
