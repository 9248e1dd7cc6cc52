"""The examples of the README and of the page about Python: each is complete, and passes mypy --strict.

The first calls run against a real server.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from conformance_server import DEFAULT_KEY, REVOKED, VALID, StartedCase, start_case

SDK = Path(__file__).parents[1]
PAGE = SDK.parents[1] / "docs" / "sdks" / "python.md"
EXAMPLES: list[str] = [
    text
    for file in (SDK / "README.md", PAGE)
    for text in re.findall(r"```python\n(.*?)```", file.read_text("utf-8"), re.DOTALL)
]
(TEN_LINES,) = [text for text in EXAMPLES if "Countersign().validate" in text]
(WEBHOOK,) = [text for text in EXAMPLES if "sign_webhook" in text]
(ASYNC,) = [text for text in EXAMPLES if "asyncio.run" in text]


def run(text: str, started_case: StartedCase) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", text.replace("https://license.example.com", started_case.url)],
        cwd=SDK / "src",
        env={
            **os.environ,
            "COUNTERSIGN_API_KEY": started_case.client["api_key"],
            "COUNTERSIGN_URL": started_case.url,
            "COUNTERSIGN_WEBHOOK_SECRET": "whsec_" + "YWJj" * 8,
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_all_examples_pass_strict_type_checking(tmp_path: Path) -> None:
    assert len(EXAMPLES) > 10
    for number, text in enumerate(EXAMPLES):
        (tmp_path / f"example_{number}.py").write_text(text, "utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--python-version",
            "3.9",
            "--cache-dir",
            str(Path(sys.prefix) / "mypy-cache"),
            str(tmp_path),
        ],
        env={**os.environ, "MYPYPATH": str(SDK / "src")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_first_call_has_ten_lines() -> None:
    assert len([line for line in TEN_LINES.splitlines() if line]) <= 10
    assert DEFAULT_KEY in TEN_LINES
    assert run(TEN_LINES, start_case(VALID)) == (0, "Licensed.\n")
    assert run(TEN_LINES, start_case(REVOKED)) == (1, "Not licensed: revoked\n")


def test_the_examples_for_asyncio_and_webhooks_run() -> None:
    started_case = start_case(VALID)
    assert run(ASYNC, started_case) == (0, "True\n")
    assert run(WEBHOOK, started_case) == (0, "Revoked: 1 None\n")
