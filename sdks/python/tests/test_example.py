"""Runs the example tool as a customer would, against a real server."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from conformance_server import DEFAULT_KEY, REVOKED, VALID, StartedCase, start_case

SDK = Path(__file__).parents[1]
UNREACHABLE = "http://127.0.0.1:9"


class Customer:
    """A customer with a home folder and a file to report on."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.file = home / "text.txt"
        self.file.write_text("one two\nthree\n", "utf-8")

    def run_tool(
        self, url: str, started_case: StartedCase, *arguments: str, **environment: str
    ) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, str(SDK / "example" / "report_tool.py"), *arguments, str(self.file)],
            env={
                **{name: value for name, value in os.environ.items() if name != "LICENSE_KEY"},
                "HOME": str(self.home),
                "APPDATA": str(self.home),
                "XDG_CONFIG_HOME": str(self.home / "config"),
                "PYTHONPATH": str(SDK / "src"),
                "COUNTERSIGN_URL": url,
                "COUNTERSIGN_API_KEY": started_case.client["api_key"],
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


def test_a_valid_license_is_stored_and_works_during_an_outage(customer: Customer) -> None:
    started_case = start_case(VALID)
    assert customer.run_tool(started_case.url, started_case, "--license-key", DEFAULT_KEY) == (0, REPORT, "")
    assert customer.run_tool(started_case.url, started_case) == (0, REPORT, "")
    code, report, errors = customer.run_tool(UNREACHABLE, started_case)
    assert (code, report) == (0, REPORT) and "last validated" in errors
    (stored,) = customer.home.rglob("license-key")
    assert stored.read_text("utf-8") == f"{DEFAULT_KEY}\n"
    if os.name != "nt":
        assert stat.S_IMODE(stored.stat().st_mode) == 0o600


def test_the_key_can_come_from_the_environment(customer: Customer) -> None:
    started_case = start_case(VALID)
    assert customer.run_tool(started_case.url, started_case, LICENSE_KEY=DEFAULT_KEY) == (0, REPORT, "")


def test_a_revoked_license_is_explained_and_not_stored(customer: Customer) -> None:
    started_case = start_case(REVOKED)
    code, report, errors = customer.run_tool(started_case.url, started_case, "--license-key", DEFAULT_KEY)
    assert (code, report) == (3, "") and "was revoked" in errors and "/portal/" not in errors
    assert list(customer.home.rglob("license-key")) == []


@pytest.mark.parametrize("status", ["expired", "ip_limit_reached", "ip_not_registered"])
def test_a_rejection_that_the_customer_can_solve_links_to_the_portal(customer: Customer, status: str) -> None:
    started_case = start_case(VALID, {"replace": ['"status":"active"', f'"status":"{status}"']})
    customer.run_tool(started_case.url, started_case, "--license-key", DEFAULT_KEY)
    code, report, errors = customer.run_tool(started_case.url, started_case)
    assert (code, report) == (3, "")
    assert errors.endswith(f" {started_case.url}/portal/open#{DEFAULT_KEY}\n")


def test_the_tool_exits_when_its_license_is_revoked(customer: Customer) -> None:
    started_case = start_case(VALID, {"replace": ['"status":"active"', '"status":"revoked"']})
    code, report, errors = customer.run_tool(started_case.url, started_case, "--license-key", DEFAULT_KEY, "--follow")
    assert (code, report) == (3, REPORT) and "was revoked" in errors


def test_an_unknown_key_is_explained(customer: Customer) -> None:
    started_case = start_case(VALID)
    code, report, errors = customer.run_tool(started_case.url, started_case, "--license-key", "AAAA-BBBB-CCCC-DDDD")
    assert (code, report) == (3, "") and "no license with this key" in errors


def test_a_first_run_without_the_server_has_no_verdict(customer: Customer) -> None:
    code, report, errors = customer.run_tool(UNREACHABLE, start_case(VALID), "--license-key", DEFAULT_KEY)
    assert (code, report) == (4, "") and "could not be validated" in errors


def test_a_missing_key_is_explained(customer: Customer) -> None:
    code, report, errors = customer.run_tool(UNREACHABLE, start_case(VALID))
    assert (code, report) == (3, "") and "--license-key" in errors


def test_a_missing_file_is_an_error(customer: Customer) -> None:
    started_case = start_case(VALID)
    customer.file.unlink()
    code, report, errors = customer.run_tool(started_case.url, started_case, "--license-key", DEFAULT_KEY)
    assert (code, report) == (1, "") and "cannot be read" in errors
