"""Builds both archives, checks their content, and installs and uses the wheel."""

from __future__ import annotations

import email
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from pathlib import Path

import pytest

import countersign

SDK = Path(__file__).parents[1]
NAME = f"countersign-{countersign.__version__}"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    python("-m", "build", "--no-isolation", "--outdir", str(folder), str(SDK))
    return folder


def python(*arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=120, check=False, env=environment or None
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_only_the_two_archives_are_built(built: Path) -> None:
    assert {path.name for path in built.iterdir()} == {f"{NAME}-py3-none-any.whl", f"{NAME}.tar.gz"}


def test_the_wheel_has_the_package_and_nothing_else(built: Path) -> None:
    sources = {f"countersign/{path.name}" for path in (SDK / "src" / "countersign").iterdir() if path.is_file()}
    assert "countersign/py.typed" in sources
    metadata_files = {f"{NAME}.dist-info/{name}" for name in ("METADATA", "WHEEL", "RECORD", "licenses/LICENSE")}
    with zipfile.ZipFile(built / f"{NAME}-py3-none-any.whl") as wheel:
        assert set(wheel.namelist()) == sources | metadata_files


def test_the_metadata_is_complete(built: Path) -> None:
    with zipfile.ZipFile(built / f"{NAME}-py3-none-any.whl") as wheel:
        metadata: Message = email.message_from_string(wheel.read(f"{NAME}.dist-info/METADATA").decode())
    assert metadata["Name"] == "countersign"
    assert metadata["Version"] == countersign.__version__
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["License-File"] == "LICENSE"
    assert metadata["Author"] == "Countersign"
    assert metadata["Requires-Python"] == ">=3.9"
    # The core has no dependencies; frameworks are extras.
    assert all("; extra == " in requirement for requirement in metadata.get_all("Requires-Dist", []))
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata["Summary"]
    classifiers = metadata.get_all("Classifier") or []
    assert "Typing :: Typed" in classifiers
    assert {f"Programming Language :: Python :: 3.{minor}" for minor in range(9, 15)} <= set(classifiers)
    text = metadata.get_payload()
    assert isinstance(text, str) and text.strip() == (SDK / "README.md").read_text("utf-8").strip()


def test_the_source_archive_is_complete(built: Path, tmp_path: Path) -> None:
    with tarfile.open(built / f"{NAME}.tar.gz") as archive:
        names = {name[len(NAME) + 1 :] for name in archive.getnames()}
    for expected in ("pyproject.toml", "PKG-INFO", "README.md", "CHANGELOG.md", "LICENSE", "example/report_tool.py"):
        assert expected in names
    assert "src/countersign/py.typed" in names
    assert not [name for name in names if ".venv" in name or "__pycache__" in name or name.startswith("tests")]


def test_the_changelog_has_this_version() -> None:
    assert f"\n## {countersign.__version__}" in (SDK / "CHANGELOG.md").read_text("utf-8")


def test_the_wheel_can_be_installed_and_used(built: Path, tmp_path: Path) -> None:
    wheel = str(built / f"{NAME}-py3-none-any.whl")
    pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"]
    python(*pip, "--target", str(tmp_path), wheel)
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import countersign\n"
        "client = countersign.Countersign('csk_test', 'https://license.example.com')\n"
        "others = {name.split('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)"
        " if hasattr(sys, 'stdlib_module_names') else {'countersign', '__main__'}\n"
        "print(countersign.__file__, countersign.__version__, sorted(others - {'countersign', '__main__'}))\n"
    )
    # Isolated mode without site packages: only the wheel and the standard library are available.
    where, version, others = python("-I", "-S", "-c", program).strip().split(" ", 2)
    assert Path(where).parent == tmp_path / "countersign"
    assert version == countersign.__version__
    assert others == "[]"
