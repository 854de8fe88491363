"""Every block of Python in the tutorial runs after those before it and prints the text below it."""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

TUTORIAL = Path(__file__).resolve().parents[1] / "docs" / "tutorial.md"
_BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str) -> list[tuple[str, str]]:
    """Code and what it prints; a block of text belongs to the code before it."""
    found: list[tuple[str, str]] = []
    for kind, content in _BLOCK.findall(text):
        if kind == "python":
            found.append((content, ""))
        else:
            code, printed = found[-1]
            assert not printed, "two blocks of text after one of Python"
            found[-1] = code, content
    return found


def test_every_block_prints_the_text_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PFSM_SEED", raising=False)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    pairs = blocks(TUTORIAL.read_text(encoding="utf-8"))
    assert len(pairs) >= 6
    for number, (code, printed) in enumerate(pairs, 1):
        output = io.StringIO()
        with redirect_stdout(output):
            exec(compile(code, f"{TUTORIAL.name}, block {number}", "exec"), namespace)
        assert output.getvalue() == printed, f"block {number}:\n{code}"
