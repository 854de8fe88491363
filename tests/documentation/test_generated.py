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
_ENTRY = re.compile(r"^(?:[^\n<]* <)?([\w./-]+)>?$", re.MULTILINE)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module


class TestReference:
    # Metrics that are quick; the others' pages are made by the same function.
    def test_pages_are_up_to_date(self, script: Any) -> None:
        for name, text in script("build_reference").pages(("bleu", "wer", "rouge-w", "ol")).items():
            assert (DOCS / "reference" / name).read_text(encoding="utf-8") == text, (
                f"{name} is stale: python scripts/build_reference.py --write"
            )

    def test_every_metric_has_a_page(self, script: Any) -> None:
        file = script("build_reference")._file
        found = {path.stem for path in (DOCS / "reference" / "metrics").glob("*.md")}
        assert found == {file(name) for name in metric_names()} | {"index"}


def test_papers_have_the_figures_of_the_results(script: Any) -> None:
    papers = script("build_papers")
    page, results = (path.read_text(encoding="utf-8") for path in (papers.PAGE, papers.RESULTS))
    assert page == papers.made(page, results)
    assert papers.figure(results, "Block edits and jumps", "Spearman's ρ, WMT16", "pFSM n1") in page
    with pytest.raises(KeyError, match="no row"):
        papers.figure(results, "Block edits and jumps", "Spearman's ρ, WMT16", "pFSM n9")


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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        if "://" in link:
            continue
        path, _, place = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link}: no such file"
        if place and target.suffix == ".md":
            assert place in anchors(target), f"{link}: no such heading"


def test_every_page_is_in_the_navigation() -> None:
    named = {DOCS / "index.md"}
    for page in PAGES:
        for block in re.findall(
            r"^```\{toctree\}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        ):
            for entry in _ENTRY.findall(block):
                named.add((page.parent / f"{entry}.md").resolve())
    parts = (DOCS / "_site" / "conf.py").read_text(encoding="utf-8")
    named |= {
        DOCS / f"{entry}.md" for entry in re.findall(r'^    \("\w+", "([\w/-]+)"\),$', parts, re.MULTILINE)
    }
    assert set(PAGES) <= named, sorted(str(path.relative_to(DOCS)) for path in set(PAGES) - named)


class TestBuiltSite:
    def test_faults_are_found(self, script: Any, tmp_path: Path) -> None:
        check = script("check_site")
        (tmp_path / "searchindex.js").touch()
        (tmp_path / "a.html").write_text('<h1 id="x"></h1><a href="b.html#y"></a><a href="#x"></a>')
        (tmp_path / "b.html").write_text('<h1 id="y"></h1><a href="https://example.org"></a>')
        assert check.faults(tmp_path) == []
        (tmp_path / "b.html").write_text(
            '<script src="https://example.org/x.js"></script><a href="c.html"></a>'
        )
        (tmp_path / "s.css").write_text("@font-face { src: url(//example.org/f.woff) }")
        assert check.faults(tmp_path) == [
            "a.html: b.html#y leads nowhere",
            "b.html: loads https://example.org/x.js",
            "b.html: c.html leads nowhere",
            "s.css: loads from a network",
        ]


def test_tables_have_the_figures_of_the_results_and_benchmarks(script: Any) -> None:
    readme = script("build_readme")
    for path in readme.PAGES:
        text = path.read_text(encoding="utf-8")
        assert text == readme.made(text), f"{path.name} is stale: python scripts/build_readme.py --write"
    measured = script("measured")
    assert measured.with_interval("**-.376 [-.410, .341]**▲") == (-0.376, -0.41, 0.341)
    # Of new sentences alone.
    assert set(measured.rates(known=True)) == {*measured.rates()} - {"greedy matching"}
