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


def test_every_page_is_in_the_navigation() -> None:
    settings = (DOCS / "_site" / "conf.py").read_text(encoding="utf-8")
    named = {"index", *re.findall(r'"([\w/-]+)"', settings)}
    assert {str(page.relative_to(DOCS).with_suffix("")) for page in PAGES} <= named


class TestBuiltSite:
    def test_faults_are_found(self, script: Any, tmp_path: Path) -> None:
        check = script("check_site")
        (tmp_path / "searchindex.js").touch()
        page = '<link href="s.css"/><img alt="x" src="%20a.png#x"><a href="https://example.org/b">b</a><img src="#">'
        (tmp_path / "a.html").write_text(page)
        (tmp_path / "s.css").touch()
        (tmp_path / " a.png").touch()
        assert check.faults(tmp_path) == []
        (tmp_path / "b.html").write_text(
            '<script src="https://example.org/x.js"></script><script async src="c.js?v=1"></script>'
        )
        (tmp_path / "s.css").write_text("@font-face { src: url(//example.org/f.woff) }")
        assert check.faults(tmp_path) == [
            "b.html: loads https://example.org/x.js",
            "b.html: no file c.js?v=1",
            "s.css: loads from a network",
        ]


class TestResults:
    def test_tables_have_the_figures_of_the_results_and_benchmarks(self, script: Any) -> None:
        build, results = script("build_tables"), script("results")
        for path in build.PAGES:
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

    def test_a_report_becomes_data(
        self, script: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        results = script("results")
        monkeypatch.setattr(results, "FOLDER", tmp_path)
        monkeypatch.setattr(results, "NOTES", tmp_path / "notes.json")
        head = "| r of systems | cs | de |\n| --- | --- | --- |\n"
        report = (
            f"# Title\n\nAbout.\n\n## Empty\n\n{head}| a | – | – |\n| n | 5 | 5 |\n\n"
            f"## Half: intervals\n\n{head}| a | **-.376 [-.410, .341]**▲ | .1 – |\n| n | 5 | 5 |\n\n"
            "## Rows\n\n| A against B | A | B | A - B | 95% interval | p | p (Holm) |\n| --- | --- | --- | --- |"
            " --- | --- | --- |\n| a against b | .2 | .3 | -.1▼ | [-.2, -.0] | .01 | .02 |\n\nA note.\n"
        )
        results.convert("any", report)
        cells = {"cs": ("-.376", "-.410", ".341", "▲"), "de": (".1", "", "", "")}
        assert results.tables("any") == {
            "Half": {"a": cells, "n": {"cs": ("5", "", "", ""), "de": ("5", "", "", "")}}
        }
        assert "| a against b | .2 | .3 | -.1▼ | [-.2, -.0] | .01 | .02 |" in results.markdown("any")
        assert results.markdown("any").endswith("\nA note.\n")
        assert results.markdown("any", "Half") == (
            "| | cs | de |\n| --- | --: | --: |\n| a | -.376 [-.410, .341]▲ | .1 |\n| n | 5 | 5 |\n"
        )

    def test_side_by_side(self, script: Any) -> None:
        lines = script("results").side_by_side().splitlines()
        assert len({line.count(" | ") for line in lines}) == 1
        (nist,) = (line for line in lines if line.startswith("| lexical | NIST |"))
        assert " .178 |" in nist
        assert "**.471**" not in nist
        assert any("<b>.471</b>" in line for line in lines)


def test_the_reading_order_names_files_that_an_afternoon_suffices_for() -> None:
    page = (DOCS / "structure.md").read_text(encoding="utf-8")
    section = page[page.index("## Reading order") : page.index("## Who imports whom")]
    names = re.findall(r"^\d+\. `([^`]+)`: ", section, re.MULTILINE)
    assert 60 <= len(set(names)) == len(names) <= 90
    assert sum((ROOT / name).read_text(encoding="utf-8").count("\n") for name in names) <= 16_000
