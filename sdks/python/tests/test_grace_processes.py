"""Several processes and devices that share one grace folder."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from countersign import ConnectionError, Countersign, FileGraceStore
from countersign._file_lock import lock_file
from local_server import REVOKED_BODY, VALID_BODY, answer, serving

KEY = "ABCD-EFGH-JKMN-PQRS"
SOURCES = Path(__file__).parents[1] / "src"
UNREACHABLE = "http://127.0.0.1:9"


class SetClock:
    def __init__(self, wall: float = 1_800_000_000) -> None:
        self.now = wall

    def wall(self) -> float:
        return self.now

    def steady(self) -> float:
        return 1

    def sleep(self, _seconds: float) -> None:
        pass


def client(url: str, folder: Path, **settings: Any) -> Countersign:
    store = settings.pop("grace_store", None) or FileGraceStore(folder)
    return Countersign("csk_test", url, **{"cache_seconds": 0, "grace_seconds": 3600, "grace_store": store, **settings})


def names(folder: Path) -> list[str]:
    return sorted(path.suffix for path in folder.iterdir())


VALIDATE_VERSIONS = """
import sys
from countersign import Countersign, FileGraceStore
url, folder, name = sys.argv[1:]
client = Countersign("csk_test", url, cache_seconds=0, grace_seconds=3600, grace_store=FileGraceStore(folder))
for number in range(15):
    assert client.validate("ABCD-EFGH-JKMN-PQRS", version=f"{name}.{number}").source == "server"
"""


def test_no_grant_is_lost_if_several_processes_store_at_the_same_time(tmp_path: Path) -> None:
    with serving([answer(VALID_BODY)]) as server:
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", VALIDATE_VERSIONS, server.url, str(tmp_path), str(name)], cwd=SOURCES
            )
            for name in range(3)
        ]
        assert [process.wait(120) for process in processes] == [0, 0, 0]
    assert names(tmp_path) == [".countersign"]
    offline = client(UNREACHABLE, tmp_path, retries=0)
    for name in range(3):
        for number in range(15):
            assert offline.validate(KEY, version=f"{name}.{number}").source == "grace"


def test_concurrent_clients_of_one_process_do_not_collide(tmp_path: Path) -> None:
    with serving([answer(VALID_BODY)]) as server:
        clients = [client(server.url, tmp_path) for _ in range(8)]
        threads = [
            threading.Thread(target=one.validate, args=(KEY,), kwargs={"version": str(number)})
            for number, one in enumerate(clients)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert names(tmp_path) == [".countersign"]
    offline = client(UNREACHABLE, tmp_path, retries=0)
    assert all(offline.validate(KEY, version=str(number)).source == "grace" for number in range(8))


def test_a_copied_file_does_not_grant_on_another_device(tmp_path: Path) -> None:
    with serving([answer(VALID_BODY)]) as server:
        assert client(server.url, tmp_path).validate(KEY).valid
        assert client(server.url, tmp_path / "bound", device_id="desk").validate(KEY, device_id="x").valid
    assert client(UNREACHABLE, tmp_path).validate(KEY).source == "grace"
    with pytest.raises(ConnectionError):
        client(UNREACHABLE, tmp_path, grace_store=FileGraceStore(tmp_path, device_id="another")).validate(KEY)
    # The client's own device ID takes precedence over the store's.
    assert client(UNREACHABLE, tmp_path / "bound", device_id="desk").validate(KEY, device_id="x").source == "grace"
    for other in ("laptop", None):
        with pytest.raises(ConnectionError):
            client(UNREACHABLE, tmp_path / "bound", device_id=other).validate(KEY, device_id="x")


def test_without_the_lock_nothing_is_granted_or_saved_but_a_rejection_counts(tmp_path: Path) -> None:
    with serving([answer(VALID_BODY)], [answer(VALID_BODY)], [answer(REVOKED_BODY)]) as server:
        online = client(server.url, tmp_path)
        assert online.validate(KEY).valid
        (stored,) = tmp_path.iterdir()
        before = stored.read_bytes()
        release = lock_file(stored.with_suffix(".lock"), 1)
        with pytest.raises(ConnectionError):
            client(UNREACHABLE, tmp_path, retries=0).validate(KEY)
        assert online.validate(KEY, version="2").valid
        assert stored.read_bytes() == before
        assert online.validate(KEY).status == "revoked"
        assert not stored.exists()
        release()
    assert names(tmp_path) == []


HOLD_LOCK = """
import sys
from pathlib import Path
from countersign._file_lock import lock_file
lock_file(Path(sys.argv[1]), 1)
print("locked", flush=True)
sys.stdin.read()
"""


def test_the_lock_of_a_process_that_was_killed_is_free(tmp_path: Path) -> None:
    path = tmp_path / "name.lock"
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD_LOCK, str(path)],
        cwd=SOURCES,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None and process.stdout.readline() == "locked\n"
        with pytest.raises(TimeoutError):
            lock_file(path, 0.1)
        process.kill()
    lock_file(path, 1)()
    assert list(tmp_path.iterdir()) == []


def test_abandoned_temporary_files_are_removed(tmp_path: Path) -> None:
    old, new = tmp_path / "name.a.new", tmp_path / "name.b.new"
    for path in (old, new):
        path.write_text("half", "utf-8")
    os.utime(old, (time.time() - 3600, time.time() - 3600))
    FileGraceStore(tmp_path).lock("name")()
    assert [path.name for path in tmp_path.iterdir()] == ["name.b.new"]


def test_unknown_keys_leave_nothing_in_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "grace"
    with serving([answer(REVOKED_BODY)], [answer(b"", "503 Service Unavailable")]) as server:
        one = client(server.url, folder, retries=0)
        assert one.validate(KEY).status == "revoked"
        assert not one.check(KEY).allowed
    assert not folder.exists()


def test_a_cached_license_stores_the_latest_time_in_the_background(tmp_path: Path) -> None:
    clock = SetClock()
    with serving([answer(VALID_BODY)]) as server:
        one = client(server.url, tmp_path, cache_seconds=300, clock=clock)
        assert one.validate(KEY).source == "server"
        clock.now += 3000
        assert one.validate(KEY).source == "cache"
        assert one._validations.grace.background.settle(20)
    clock.now -= 3000
    # The clock was set back, so the grace period has ended.
    with pytest.raises(ConnectionError):
        client(UNREACHABLE, tmp_path, clock=clock).validate(KEY)


def test_a_blocked_store_does_not_delay_a_cached_result(tmp_path: Path) -> None:
    resume = threading.Event()

    class BlockedStore(FileGraceStore):
        is_blocked = False

        def load(self, name: str) -> str | None:
            if self.is_blocked:
                resume.wait(60)
            return super().load(name)

    store = BlockedStore(tmp_path)
    with serving([answer(VALID_BODY)]) as server:
        one = client(server.url, tmp_path, cache_seconds=300, grace_store=store)
        assert one.validate(KEY).source == "server"
        store.is_blocked = True
        for _ in range(3):
            assert one.validate(KEY).source == "cache"
        assert not one._validations.grace.background.settle(0)
        resume.set()
        assert one._validations.grace.background.settle(20)
