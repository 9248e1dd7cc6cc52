"""The few lines that the dashboard and the README show, run as they are against a real server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance_server import REVOKED, SIGNED, USUAL_KEY, VALID, arm

SDK = Path(__file__).parents[1]
PLAIN = SDK.parent / "snippets" / "python.py"
WITH_SIGNATURE = SDK.parent / "snippets" / "signed" / "python.py"


def run(snippet: Path, folder: Path, answers: dict[str, Any], secrets: str | None = None) -> str:
    """What the snippet prints when it is made to ask this server."""
    armed = arm(answers)
    text = snippet.read_text("utf-8")
    assert text.count('"https://licenses.example.com"') == 1
    text = text.replace("https://licenses.example.com", armed.url)
    signing = armed.client.get("signing", {"product_id": "", "secrets": []})
    program = folder / "snippet.py"
    program.write_text(text.replace("PRODUCT-ID", signing["product_id"]), "utf-8")
    done = subprocess.run(
        [sys.executable, str(program)],
        env={
            **os.environ,
            "PYTHONPATH": str(SDK / "src"),
            "COUNTERSIGN_API_KEY": armed.client["api_key"],
            "COUNTERSIGN_SIGNING_SECRETS": secrets or ",".join(signing["secrets"]),
            "LICENSE_KEY": USUAL_KEY,
            "NO_PROXY": "127.0.0.1",
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("answers", "said"), [(VALID, "Licensed.\n"), (REVOKED, "Not licensed: revoked\n")], ids=["valid", "revoked"]
)
def test_plain(answers: dict[str, Any], said: str, tmp_path: Path) -> None:
    assert run(PLAIN, tmp_path, answers) == said


def test_signed(tmp_path: Path) -> None:
    assert run(WITH_SIGNATURE, tmp_path, SIGNED) == "Licensed.\n"


def test_signed_by_another_secret(tmp_path: Path) -> None:
    assert "SignatureError" in run(WITH_SIGNATURE, tmp_path, SIGNED, "ab" * 32)


def test_the_readme_shows_them() -> None:
    text = (SDK / "README.md").read_text("utf-8")
    for snippet in (PLAIN, WITH_SIGNATURE):
        assert f"```python\n{snippet.read_text('utf-8')}```\n" in text
