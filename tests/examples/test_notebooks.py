"""The notebooks of ``examples/notebooks`` run, and show what they hold."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

import pfsm
from pfsm.comparison import compare_outputs
from pfsm.metrics import get_metric
from tests.fuzz.mutations import EFFORT

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "examples" / "notebooks"


@pytest.fixture
def notebooks(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    monkeypatch.delenv("PFSM_SEED", raising=False)
    return importlib.import_module("guides")


@pytest.mark.skipif(EFFORT == 1, reason="takes long: make fuzz")
@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_it_shows_what_it_holds(path: Path, notebooks: Any) -> None:
    held = json.loads(path.read_text(encoding="utf-8"))
    for before, after in zip(held["cells"], notebooks.run_notebook(held)["cells"], strict=True):
        assert notebooks.same(before.get("outputs"), after.get("outputs")), after["source"]


def test_what_notebooks_show_is_escaped() -> None:
    name = "<script>x</script>"
    found = compare_outputs(
        {name: ["a b", "c"], "other & more": ["a", "c"]}, [["a b", "c"]], [get_metric("bleu")]
    )
    html = found._repr_html_() + pfsm.Model(name, weights={name: 1.0, "Insert": float(-1)})._repr_html_()
    assert "<script" not in html
    assert html.count("&lt;script&gt;") >= 4
    assert f"{found.results[0].comparison.pairs[0].difference:+.4f}" in html
    assert "<svg" in html
