"""The keys and values of an experiment's YAML file, and the one-line errors for invalid ones."""

from pathlib import Path
from typing import Any

import pytest

from pfsm import PfsmError
from pfsm_experiments import read_experiment
from tests.experiments.experiment_cases import table, write_experiment


def row(**keys: Any) -> list[dict[str, Any]]:
    return [{"name": "one", **keys}]


def test_every_key(tmp_path: Path) -> None:
    values = table(
        description="Two\nlines",
        scheme="learning-curve",
        sizes=[10, 20, "all"],
        repeats=3,
        seed=0,
        train=[
            "train/cs-en.tsv",
            {
                "files": ["train/*.tsv", "test/*.tsv"],
                "score_column": "hter",
                "negate": True,
                "where": {"source_lang": ["cs", "de"], "year": 2015},
                "sample": 20,
                "seed": 7,
            },
        ],
        rows=[
            {"name": "BLEU", "metric": "bleu", "options": {"lowercase": True}},
            {"name": "shipped", "model": "en-small"},
            {"name": "ours", "train": {"lambda": "auto", "max_jump": 2}, "train_data": "train/cs-en.tsv"},
        ],
        versus="shipped",
    )
    experiment = read_experiment(write_experiment(tmp_path, values))
    assert experiment.sizes == (10, 20, None)
    assert (experiment.repeats, experiment.seed, experiment.description) == (3, 0, "Two\nlines")
    first, second = experiment.train
    assert (first.files, first.score_column, first.negate) == (("train/cs-en.tsv",), "score", False)
    assert second.keep == {"source_lang": ("cs", "de"), "year": ("2015",)}
    assert (second.negate, second.sample, second.seed) == (True, 20, 7)
    bleu, shipped, ours = experiment.rows
    assert (bleu.metric, bleu.options) == ("bleu", {"lowercase": True})
    assert shipped.model is not None
    assert shipped.model.name == "en-small"
    assert ours.training == {"lambda": "auto", "max_jump": 2}
    assert ours.train_data[0].files == ("train/cs-en.tsv",)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"title": None}, "table.yaml: the key 'title' is missing"),
        ({"tests": []}, "table.yaml: unknown key 'tests'; did you mean test"),
        ({"scheme": "loo"}, "table.yaml: scheme is 'loo', it must be one of train-test, k-fold"),
        ({"folds": 3}, "table.yaml: folds is for the scheme k-fold, not for train-test"),
        ({"scheme": "learning-curve", "sizes": [20, 10]}, "sizes is [20, 10], it must be a rising list"),
        ({"train": None}, "table.yaml: row 'pFSM' is trained, but the key 'train' is missing"),
        ({"train": "../x.tsv"}, "train 1: files has '../x.tsv', it must be a path inside the data"),
        ({"versus": "BLEU"}, "table.yaml: versus is 'BLEU', it must be the name of a row"),
        ({"rows": row(metric="bleu", train={})}, "row 'one': has metric and train of metric, model, train"),
        ({"rows": row(metric="blue")}, "table.yaml: row 'one': unknown metric 'blue'; did you mean bleu"),
        (
            {"rows": row(train={"init": "en"}, init="en-small")},
            "table.yaml: row 'one': init is given twice, in the row and in train; leave out one of them",
        ),
        (
            {"rows": row(model="../x.json")},
            "row 'one': model: is '../x.json', it must be a path inside the folder",
        ),
        (
            {"rows": row(train={}, init="/x.json")},
            "row 'one': init: is '/x.json', it must be a path inside the",
        ),
        ({"rows": row(model="nowhere.json")}, "row 'one': model: nowhere.json: no such file"),
        ({"rows": row(metric="bleu") * 2}, "table.yaml: two rows are called 'one'"),
        (
            {"contrasts": [["pFSM"] * 3]},
            "contrasts 1: is ['pFSM', 'pFSM', 'pFSM'], it must be the names of two",
        ),
        (
            {"contrasts": [["chrF", "pFSM"], ["chrF", "nist"]]},
            "contrasts 2: has 'nist', it must be the name of a row",
        ),
        ({"contrasts": [["chrF", "chrF"]]}, "contrasts 1: compares 'chrF' with itself"),
        (
            {"contrasts": [["chrF", "pFSM"], ["pFSM", "chrF"]]},
            "contrasts 2: pFSM and chrF are compared twice",
        ),
        (
            {"rows": row(train={"max_jump": 3, "init": "en-small"})},
            "row 'one': train: max_jump is 3, but the initial model en-small has",
        ),
        (
            {"scheme": "round-robin", "rows": row(train={}, train_data="x")},
            "train_data of a row needs the scheme train-test or learning-curve",
        ),
    ],
)
def test_invalid_values_are_refused(tmp_path: Path, changes: dict[str, Any], fault: str) -> None:
    if "rows" in changes:
        changes = {"versus": None, **changes}
    path = write_experiment(tmp_path, table(**changes))
    with pytest.raises(PfsmError) as error:
        read_experiment(path)
    message = str(error.value)
    assert fault in message
    assert message.startswith(str(path))
    assert "\n" not in message


def test_what_is_no_yaml_mapping(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    for text in ("title: [", "- a\n- b\n", "title: 2015-13-45\n"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(PfsmError, match=r"bad\.yaml"):
            read_experiment(path)


def test_the_shipped_experiments_can_be_read() -> None:
    folder = Path(__file__).resolve().parents[2] / "configs"
    read = [
        read_experiment(path)
        for path in sorted(folder.glob("*.yaml"))
        if "rows:" in path.read_text(encoding="utf-8")
    ]
    assert {one.scheme for one in read} == {"train-test", "k-fold", "round-robin", "learning-curve"}
