"""What scripts write into docs is up to date, and the links of all pages lead somewhere."""

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from pfsm.metrics import metric_names

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_site" not in path.parts)
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module


def test_reference_is_up_to_date(script: Any) -> None:
    reference = script("build_reference")
    # Metrics that are quick; the others' rows are made by the same function.
    some = reference._metrics(("bleu", "wer", "rouge-w", "ol")).splitlines()
    text = (DOCS / "reference" / "metrics.md").read_text(encoding="utf-8")
    assert set(some) <= set(text.splitlines()), "stale: python scripts/build_reference.py --write"
    assert re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE) == list(metric_names())
    assert (DOCS / "reference" / "commands.md").read_text(encoding="utf-8") == "".join(reference._commands())


def test_pictures_are_up_to_date(script: Any) -> None:
    pictures = script("build_pictures")
    for name, draw in pictures.PICTURES.items():
        assert (pictures.FOLDER / name).read_text(encoding="utf-8") == draw(), f"{name} is stale"


def anchors(page: Path) -> set[str]:
    """The places of a page, as GitHub names them."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    found: list[str] = []
    for heading in _HEADING.findall(text):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        before = sum(one == name or re.fullmatch(rf"{re.escape(name)}-\d+", one) is not None for one in found)
        found.append(f"{name}-{before}" if before else name)
    return set(found)


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for link in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
            if "://" in link:
                continue
            path, _, place = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            assert target.exists(), f"{page.name}: {link}: no such file"
            if place and target.suffix == ".md":
                assert place in anchors(target), f"{page.name}: {link}: no such heading"


class TestResults:
    def test_tables_have_the_figures_of_the_results_and_benchmarks(self, script: Any) -> None:
        build, results = script("build_tables"), script("results")
        for path in map(build.CHECKOUT.joinpath, build.PAGES):
            text = path.read_text(encoding="utf-8")
            assert text == build.made(text), f"{path.name} is stale: python scripts/build_tables.py --write"
        assert build.FIGURES.read_text(encoding="utf-8") == build.figures()
        assert set(results.rates(known=True)) == {*results.rates()} - {"greedy matching"}
        with pytest.raises(KeyError):
            results.last("table1", "Spearman's ρ, WMT16", "pFSM n9")

    def test_every_experiment_is_on_the_page(self, script: Any) -> None:
        results = script("results")
        page = (DOCS / "results.md").read_text(encoding="utf-8")
        for path in results.FOLDER.glob("*.tsv"):
            name = path.stem.removesuffix("-rows")
            assert f"](../configs/results/{name}.tsv)\n" in page
            assert results.about(name)
            assert results.markdown(name)


def test_the_reading_order_names_files_that_an_afternoon_suffices_for() -> None:
    page = (DOCS / "structure.md").read_text(encoding="utf-8")
    section = page[page.index("## Reading order") : page.index("## Who imports whom")]
    names = re.findall(r"^\d+\. `([^`]+)`: ", section, re.MULTILINE)
    assert 60 <= len(set(names)) == len(names) <= 90
    assert sum((ROOT / name).read_text(encoding="utf-8").count("\n") for name in names) <= 16_000
