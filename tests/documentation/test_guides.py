"""Every block of the guides runs, and prints what the page says."""

import importlib
import inspect
import io
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
import yaml

from pfsm.cli import main

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
REFERENCE = [DOCS / "reference" / f"{name}.md" for name in ("python", "python-evaluation")]
PAGES = [
    *(ROOT / "README.md", *(DOCS / f"{name}.md" for name in ("experiments", "index", "papers", "tutorial"))),
    *sorted((DOCS / "guides").glob("*.md")),
    *REFERENCE,
]


# Half of the work is in tests/documentation/test_longer_guides.py, for another process.
LONGER = {"little-data", "explanations", "compare", "experiments", "serve", "own-judgments"}
KEPT: dict[tuple[object, ...], tuple[str, bytes]] = {}


def once(words: list[str]) -> int:
    """`pfsm`; a training that several pages show runs once."""
    if words[0] != "train" or "--report" in words:
        return main(words)
    key = (*words, *(Path(word).read_bytes() for word in words if Path(word).is_file()))
    output = Path(words[words.index("--output") + 1])
    if key not in KEPT:
        printed = io.StringIO()
        with redirect_stdout(printed):
            status = main(words)
        if status:
            return status
        KEPT[key] = printed.getvalue(), output.read_bytes()
    sys.stdout.write(KEPT[key][0])
    output.write_bytes(KEPT[key][1])
    return 0


@pytest.fixture
def guides(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    module = importlib.import_module("guides")
    monkeypatch.setattr(module, "pfsm", once)
    return module


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.stem not in LONGER], ids=lambda page: page.stem
)
def test_a_page_shows_what_its_commands_print(
    page: Path, guides: Any, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "demo-output"
    guides.prepare(folder)
    monkeypatch.chdir(folder)
    text = page.read_text(encoding="utf-8")
    made = guides.run_page(text)
    assert guides.is_fresh(made, text) or guides.comparable(made) == guides.comparable(text)


def test_every_page_with_commands_is_run(guides: Any) -> None:
    assert set(guides.pages()) == set(PAGES)


@pytest.mark.parametrize("module", ["pfsm", "pfsm.data", "pfsm.evaluation", "pfsm.metrics", "pfsm_training"])
def test_every_public_name_is_in_the_reference_with_an_example(module: str) -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in REFERENCE)
    shown = re.findall(r"\n\.\. auto\w+:: (\S+)\n```\n\n```python\n", text)
    named_elsewhere = {"pfsm.__version__", "pfsm.metrics.Score"}  # the latter is pfsm.Score
    names = {f"{module}.{name}" for name in importlib.import_module(module).__all__} - named_elsewhere
    assert names <= {*shown}
    for name in names:
        entry = getattr(importlib.import_module(module), name.rpartition(".")[2])
        if inspect.isfunction(entry):
            described = inspect.getdoc(entry) or ""
            assert not inspect.signature(entry).parameters or "Args:" in described, name
            assert entry.__annotations__["return"] in (None, "None") or "Returns:" in described, name
        elif inspect.isclass(entry):
            for field, told in re.findall(r'\n    ([a-z]\w*): [^\n]+(\n    """)?', inspect.getsource(entry)):
                assert told or re.search(rf"\b{field}\b", inspect.getdoc(entry) or ""), f"{name}.{field}"


def test_the_action_runs_the_command_that_the_page_shows(guides: Any) -> None:
    page = (DOCS / "guides" / "gate.md").read_text(encoding="utf-8")
    blocks = [(match["kind"], match["content"]) for match in guides.BLOCK.finditer(page)]
    (action,) = [yaml.safe_load(content) for kind, content in blocks if kind == "yaml"]
    steps = action["jobs"]["compare"]["steps"]
    (command,) = [step["run"] for step in steps if step.get("run", "").startswith("pfsm ")]
    assert any(content.startswith(f"$ {command}\n") for kind, content in blocks if kind == "console")
    assert steps[-1]["with"]["path"] == command.split()[-1]


class TestRunner:
    """The runner notices what it is for."""

    def test_another_output(self, guides: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        page = "```{code-block} text\n:caption: a.txt\n\none\ntwo\n```\n\n```console\n$ head -1 a.txt\nthree\n```\n"
        assert guides.run_page(page) == page.replace("three\n", "one\n")
        assert guides.run_page("```python\nprint(1)\n```\n\n```text\n2\n```\n") == (
            "```python\nprint(1)\n```\n\n```text\n1\n```\n"
        )

    def test_fingerprints_of_models_that_a_page_trains_may_differ(self, guides: Any) -> None:
        page = "pfsm:demo:{}:0.1.0\ndemo  (fingerprint {}, licence: not stated)\n0.{}\n"
        one, other = (guides.comparable(page.format(*[digits] * 3)) for digits in ("4308aa4e", "6c375e7b"))
        assert one.splitlines()[:2] == other.splitlines()[:2]
        assert one != other
        assert guides.comparable("pfsm:en:4308aa4e:0.1.0") != guides.comparable("pfsm:en:6c375e7b:0.1.0")
        assert guides.comparable("pfsm:en:4308aa4e:refs2:0.1.0") == guides.comparable(
            "pfsm:en:4308aa4e:refs2:0.2.0"
        )

    def test_another_processor_may_differ_in_the_digits_of_an_encoder_and_of_a_training(
        self, guides: Any
    ) -> None:
        assert guides.is_fresh("birch 92.35303870347471\n", "birch 92.35303869503406\n")
        assert not guides.is_fresh("birch 92.3540\n", "birch 92.3530\n")
        trained = "$ pfsm train a.tsv -o a.json\nr {}\n  {} minima: other starts end 1.6% higher\n"
        assert guides.is_fresh(trained.format("0.613", 9), trained.format("0.604", 10))
        assert not guides.is_fresh(trained.format("0.70", 9), trained.format("0.60", 9))

    def test_a_command_that_fails(self, guides: Any) -> None:
        with pytest.raises(guides.PageError, match="status 2"):
            guides.run_page("```console\n$ pfsm score nothing.txt -i nothing.txt\n```\n")
