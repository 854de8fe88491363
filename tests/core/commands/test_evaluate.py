"""`pfsm evaluate` on absolute scores: correlations against SciPy, groups, warnings about training data."""

import gzip
import json
from pathlib import Path

import pytest

from tests.command_runs import Cli, Write
from tests.judgment_cases import rows, tsv
from tests.model_cases import saved

ROWS = rows(30, seed=21)
FAST = ("--confidence-n", "50")


@pytest.fixture
def model(tmp_path: Path) -> str:
    return Path(saved(tmp_path)).name


def test_the_seed_and_threads(cli: Cli, write: Write, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write("d.tsv", tsv(ROWS))
    command = ("evaluate", "d.tsv", "-m", model, "-f", "json", *FAST)
    first = cli(*command)
    assert cli(*command, "--threads", "2").out == first.out
    monkeypatch.setenv("PFSM_SEED", "7")
    other = cli(*command).document
    assert other["seed"] == 7
    one, two = (result["correlation"]["groups"][0]["pearson"] for result in (first.document, other))
    assert one["value"] == two["value"]
    assert one["interval"] != two["interval"]


class TestWarnings:
    """A file, or references, that the model was trained on."""

    def warning(self, outcome: object) -> list[str]:
        assert hasattr(outcome, "err")
        return [line.removeprefix("pfsm: warning: ") for line in str(outcome.err).splitlines()]

    @pytest.mark.parametrize("form", ["plain", "gzip"])
    def test_the_very_file(self, form: str, cli: Cli, write: Write, trained: Path) -> None:
        content = (trained.parent / "train.tsv").read_bytes()
        name = {"plain": "other.tsv", "gzip": "train.tsv.gz"}[form]
        write(name, gzip.compress(content) if form == "gzip" else content)
        outcome = cli("evaluate", name, "-m", str(trained), *FAST)
        assert outcome.status == 0
        expected = f"{name}: the model was trained on this very file; its agreement here says little"
        assert self.warning(outcome) == [expected]
        outcome = cli("evaluate", name, "-m", str(trained), "-f", "json", *FAST)
        assert self.warning(outcome) == [expected]
        assert '"warnings": [\n  "' + expected in outcome.out

    def test_its_references(self, cli: Cli, write: Write, trained: Path) -> None:
        seen = rows(40)[:3]
        new = [row for row in rows(80, seed=99) if row[0] not in {row[0] for row in rows(40)}][:4]
        write("some.tsv", tsv([*seen, *new, *seen]))
        outcome = cli("evaluate", "some.tsv", "-m", str(trained), *FAST)
        assert self.warning(outcome) == ["some.tsv: 3 of its 7 references are in the model's training data"]


def test_models_and_metrics_add_up(cli: Cli, write: Write) -> None:
    """One after the other, each as alone; a model that a language means is left out in one line."""
    write("x.tsv", tsv(rows(12)))
    alone = [cli("evaluate", "x.tsv", *one).out for one in (("--metric", "chrf++"), ("--metric", "bleu"))]
    outcome = cli("evaluate", "x.tsv", "--metric", "chrf++", "--metric", "bleu", "--language", "de")
    assert outcome.out == "\n".join(alone)
    assert outcome.err.strip() == "pfsm: chrf++, bleu alone; --model multi adds the model for German"
    both = json.loads(cli("evaluate", "x.tsv", "--metric", "chrf++", "-m", "en-small", "-f", "json").out)
    assert [one["name"] for one in both] == ["chrf++", "en-small"]
    fault = cli("evaluate", "x.tsv", "--metric", "bleu", "--metric", "bleu").fault
    assert fault == "--metric bleu: given twice; give each model and metric once"
    assert (
        "give either --metric or --column"
        in cli("evaluate", "x.tsv", "--metric", "bleu", "--column", "score").fault
    )
