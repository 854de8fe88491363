"""``docs/structure.md`` shows the imports as they are."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_picture_is_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "structure.py")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    picture = printed[printed.index("```mermaid") : printed.index("| level")]
    assert picture in (ROOT / "docs" / "structure.md").read_text(encoding="utf-8"), (
        "run scripts/structure.py --write"
    )
