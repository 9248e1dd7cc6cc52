"""The example's command-line tool, run as a customer would, against a real server."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from conformance_server import REVOKED, USUAL_KEY, VALID, Armed, arm

SDK = Path(__file__).parents[1]
AWAY = "http://127.0.0.1:9"


class Customer:
    """Somebody with a home of their own and a file to report about."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.file = home / "text.txt"
        self.file.write_text("one two\nthree\n", "utf-8")

    def runs(self, url: str, armed: Armed, *given: str, **environment: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, str(SDK / "example" / "report_tool.py"), *given, str(self.file)],
            env={
                **{name: value for name, value in os.environ.items() if name != "LICENSE_KEY"},
                "HOME": str(self.home),
                "APPDATA": str(self.home),
                "XDG_CONFIG_HOME": str(self.home / "config"),
                "PYTHONPATH": str(SDK / "src"),
                "COUNTERSIGN_URL": url,
                "COUNTERSIGN_API_KEY": armed.client["api_key"],
                "NO_PROXY": "127.0.0.1",
                **environment,
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr


@pytest.fixture
def customer(tmp_path: Path) -> Customer:
    return Customer(tmp_path)


REPORT = "text.txt: 2 lines, 3 words, 14 characters\n"


def test_a_valid_license_is_kept_and_survives_an_outage(customer: Customer) -> None:
    armed = arm(VALID)
    assert customer.runs(armed.url, armed, "--license-key", USUAL_KEY) == (0, REPORT, "")
    assert customer.runs(armed.url, armed) == (0, REPORT, "")
    code, report, said = customer.runs(AWAY, armed)
    assert (code, report) == (0, REPORT) and "last checked" in said
    (kept,) = customer.home.rglob("license-key")
    assert kept.read_text("utf-8") == f"{USUAL_KEY}\n"
    if os.name != "nt":
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_key_from_the_environment(customer: Customer) -> None:
    armed = arm(VALID)
    assert customer.runs(armed.url, armed, LICENSE_KEY=USUAL_KEY) == (0, REPORT, "")


def test_a_revoked_license(customer: Customer) -> None:
    armed = arm(REVOKED)
    code, report, said = customer.runs(armed.url, armed, "--license-key", USUAL_KEY)
    assert (code, report) == (3, "") and "was revoked" in said
    assert list(customer.home.rglob("license-key")) == []


def test_a_license_that_is_revoked_while_the_tool_runs(customer: Customer) -> None:
    armed = arm(VALID, {"replace": ['"status":"active"', '"status":"revoked"']})
    code, report, said = customer.runs(armed.url, armed, "--license-key", USUAL_KEY, "--follow")
    assert (code, report) == (3, REPORT) and "was revoked" in said


def test_another_key(customer: Customer) -> None:
    armed = arm(VALID)
    code, report, said = customer.runs(armed.url, armed, "--license-key", "AAAA-BBBB-CCCC-DDDD")
    assert (code, report) == (3, "") and "no license with this key" in said


def test_never_used_before_and_the_server_is_away(customer: Customer) -> None:
    code, report, said = customer.runs(AWAY, arm(VALID), "--license-key", USUAL_KEY)
    assert (code, report) == (4, "") and "could not be checked" in said


def test_without_a_key(customer: Customer) -> None:
    code, report, said = customer.runs(AWAY, arm(VALID))
    assert (code, report) == (3, "") and "--license-key" in said


def test_a_file_that_is_not_there(customer: Customer) -> None:
    armed = arm(VALID)
    customer.file.unlink()
    code, report, said = customer.runs(armed.url, armed, "--license-key", USUAL_KEY)
    assert (code, report) == (1, "") and "cannot be read" in said
