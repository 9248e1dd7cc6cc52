"""Runs the snippets of the dashboard and the README unchanged against a real server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance_server import DEFAULT_KEY, REVOKED, SIGNED, VALID, start_case

SDK = Path(__file__).parents[1]
PLAIN = SDK.parent / "snippets" / "python.py"
WITH_SIGNATURE = SDK.parent / "snippets" / "signed" / "python.py"


def run(snippet: Path, folder: Path, answers: dict[str, Any], secrets: str | None = None) -> str:
    """Return what the snippet prints when it uses this server."""
    started_case = start_case(answers)
    text = snippet.read_text("utf-8")
    assert text.count('"https://license.example.com"') == 1
    text = text.replace("https://license.example.com", started_case.url)
    signing = started_case.client.get("signing", {"product_id": "", "secrets": []})
    program = folder / "snippet.py"
    program.write_text(text.replace("PRODUCT-ID", signing["product_id"]), "utf-8")
    done = subprocess.run(
        [sys.executable, str(program)],
        env={
            **os.environ,
            "PYTHONPATH": str(SDK / "src"),
            "COUNTERSIGN_API_KEY": started_case.client["api_key"],
            "COUNTERSIGN_SIGNING_SECRETS": secrets or ",".join(signing["secrets"]),
            "LICENSE_KEY": DEFAULT_KEY,
            "NO_PROXY": "127.0.0.1",
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("answers", "output"), [(VALID, "Licensed.\n"), (REVOKED, "Not licensed: revoked\n")], ids=["valid", "revoked"]
)
def test_the_plain_snippet_prints_the_verdict(answers: dict[str, Any], output: str, tmp_path: Path) -> None:
    assert run(PLAIN, tmp_path, answers) == output


def test_the_signed_snippet_accepts_a_signed_response(tmp_path: Path) -> None:
    assert run(WITH_SIGNATURE, tmp_path, SIGNED) == "Licensed.\n"


def test_the_signed_snippet_rejects_another_secret(tmp_path: Path) -> None:
    assert "SignatureError" in run(WITH_SIGNATURE, tmp_path, SIGNED, "ab" * 32)


def test_the_readme_and_the_page_about_python_show_the_snippets() -> None:
    readme = (SDK / "README.md").read_text("utf-8")
    page = (SDK.parents[1] / "docs" / "sdks" / "python.md").read_text("utf-8")
    for snippet, texts in ((PLAIN, (readme, page)), (WITH_SIGNATURE, (page,))):
        for text in texts:
            assert f"```python\n{snippet.read_text('utf-8')}```\n" in text
