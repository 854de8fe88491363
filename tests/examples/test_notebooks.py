"""The notebooks of ``examples/notebooks`` run, and show what they hold."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "examples" / "notebooks"


def run(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "notebooks.py"), str(path)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.parametrize("name", ["compare", "train"])
def test_it_shows_what_it_holds(name: str) -> None:
    if name == "train":
        pytest.importorskip("torch")
    done = run(NOTEBOOKS / f"{name}.ipynb")
    assert (done.returncode, done.stderr) == (0, "")


def test_all_are_tested() -> None:
    assert {path.stem for path in NOTEBOOKS.glob("*.ipynb")} == {"compare", "train"}


@pytest.mark.parametrize(("source", "held"), [("1 + 1", "3"), ("'<b>'", "'<i>'"), ("print('x')", "None")])
def test_a_notebook_that_shows_something_else_fails(tmp_path: Path, source: str, held: str) -> None:
    output = {
        "data": {"text/plain": [held]},
        "execution_count": 1,
        "metadata": {},
        "output_type": "execute_result",
    }
    cell = {"cell_type": "code", "source": [source], "outputs": [output]}
    path = tmp_path / "wrong.ipynb"
    path.write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
    done = run(path)
    assert done.returncode == 1
    assert "wrong.ipynb, cell 1: shows something else than it holds" in done.stderr


def test_what_notebooks_show_is_escaped() -> None:
    import pfsm
    from pfsm.metrics import get_metric

    name = "<script>x</script>"
    found = get_metric("bleu").compare({name: ["a b", "c"], "other & more": ["a", "c"]}, [["a b", "c"]], 20)
    html = found._repr_html_() + pfsm.Model(name, weights={name: 1.0, "Insert": float(-1)})._repr_html_()
    assert "<script" not in html
    assert html.count("&lt;script&gt;") >= 4
    assert f"{found.results[0].comparison.pairs[0].difference:+.4f}" in html
    assert "<svg" in html
