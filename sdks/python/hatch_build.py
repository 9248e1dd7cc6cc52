"""Writes the types of webhook events before a package is built from a checkout. A source archive contains them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GenerateEvents(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        generator = Path(self.root).parent / "events" / "generate.mjs"
        if not generator.exists():
            return
        try:
            subprocess.run(["node", str(generator)], check=True)
        except FileNotFoundError:
            raise RuntimeError("Building from a checkout needs Node.js 20 or later: https://nodejs.org") from None
