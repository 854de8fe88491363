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


def test_the_path_of_a_model_is_relative_to_the_file(tmp_path: Path, trained_model: Path) -> None:
    path = write_experiment(trained_model.parent, table(rows=row(model=trained_model.name), versus=None))
    (found,) = read_experiment(path).rows
    assert found.model is not None
    assert found.model.name == "beside"


@pytest.fixture
def trained_model(tmp_path: Path) -> Path:
    from pfsm import Model, save_model

    save_model(Model("beside", weights={"S_word": 1.0}), tmp_path / "beside.json")
    return tmp_path / "beside.json"


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"title": None}, "table.yaml: the key 'title' is missing"),
        ({"title": 3}, "table.yaml: title is 3, it must be text"),
        ({"tests": []}, "table.yaml: unknown key 'tests'; did you mean test"),
        ({"scheme": "loo"}, "table.yaml: scheme is 'loo', it must be one of train-test, k-fold"),
        ({"folds": 3}, "table.yaml: folds is for the scheme k-fold, not for train-test"),
        ({"by": "x"}, "table.yaml: by is for the scheme k-fold and round-robin, not for train-test"),
        ({"scheme": "k-fold"}, "table.yaml: k-fold tests on parts of its training data"),
        ({"scheme": "k-fold", "test": None, "folds": 1}, "folds is 1, it must be a whole number from 2"),
        ({"scheme": "learning-curve", "sizes": [20, 10]}, "sizes is [20, 10], it must be a rising list"),
        ({"scheme": "learning-curve", "sizes": ["all", 10]}, "sizes is ['all', 10], it must be"),
        ({"scheme": "learning-curve", "repeats": 0}, "repeats is 0, it must be a whole number from 1"),
        ({"test": None}, "table.yaml: the key 'test' is missing"),
        ({"train": None}, "table.yaml: row 'pFSM' is trained, but the key 'train' is missing"),
        ({"train": "/etc/passwd"}, "train 1: files has '/etc/passwd', it must be a path inside the data"),
        ({"train": "../x.tsv"}, "train 1: files has '../x.tsv', it must be a path inside the data"),
        ({"train": {"score_column": "x"}}, "table.yaml: train 1: the key 'files' is missing"),
        (
            {"train": {"files": "x", "colour": 1}},
            "table.yaml: train 1: unknown key 'colour'; known are files",
        ),
        ({"train": {"files": "x", "negate": "yes"}}, "train 1: negate is 'yes', it must be true or false"),
        (
            {"train": {"files": "x", "where": {"source_lang": [False]}}},
            "train 1: where: source_lang: is False, it must be text; put it in quotes",
        ),
        ({"train": [7]}, "train 1: is 7, it must hold `key: value`"),
        ({"statistics": ["pearsons"]}, "statistics is ['pearsons'], it must be a list of different names"),
        ({"versus": "BLEU"}, "table.yaml: versus is 'BLEU', it must be the name of a row"),
        ({"pictures": "gif"}, "table.yaml: pictures is 'gif', it must be one of svg, png, pdf"),
        ({"seed": -1}, "table.yaml: seed is -1, it must be a whole number from 0"),
        ({"resamples": True}, "table.yaml: resamples is True, it must be a whole number"),
        ({"rows": None}, "table.yaml: the key 'rows' is missing"),
        ({"rows": [{"metric": "bleu"}]}, "rows: every row needs a name"),
        ({"rows": row()}, "table.yaml: row 'one': has none of metric, model, train; give one"),
        ({"rows": row(metric="bleu", train={})}, "row 'one': has metric and train of metric, model, train"),
        ({"rows": row(metric="blue")}, "table.yaml: row 'one': unknown metric 'blue'; did you mean bleu"),
        ({"rows": row(metric="bleu", options={"x": 1})}, "row 'one': metric bleu: unknown option 'x'"),
        ({"rows": row(metric="bleu", init="en-small")}, "table.yaml: row 'one': init needs train"),
        (
            {"rows": row(train={"init": "en"}, init="en-small")},
            "table.yaml: row 'one': init is given twice, in the row and in train; leave out one of them",
        ),
        ({"rows": row(model="nowhere.json")}, "row 'one': model: nowhere.json: no such file"),
        ({"rows": row(train={"max_jumps": 1})}, "row 'one': train: unknown key 'max_jumps'"),
        ({"rows": row(train=3)}, "row 'one': train is 3, it must be lines `key: value`"),
        ({"rows": row(metric="bleu") * 2}, "table.yaml: two rows are called 'one'"),
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


@pytest.mark.parametrize("text", ["title: [", "- a\n- b\n", "title: 2015-13-45\n"])
def test_what_is_no_yaml_mapping(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.yaml"
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


def test_the_initial_model_may_stand_in_train(tmp_path: Path) -> None:
    specs = [
        read_experiment(write_experiment(tmp_path, table(rows=row(**keys), versus=None))).rows[0]
        for keys in (
            {"train": {"lambda": 50}, "init": "en-small"},
            {"train": {"lambda": 50, "init": "en-small"}},
        )
    ]
    assert [spec.training for spec in specs] == [{"lambda": 50}] * 2
    assert [spec.init.name for spec in specs if spec.init is not None] == ["en-small"] * 2


def test_what_an_initial_model_cannot_become_is_refused_when_the_file_is_read(tmp_path: Path) -> None:
    rows = row(train={"max_jump": 3, "init": "en-small"})
    path = write_experiment(tmp_path, table(rows=rows, versus=None))
    with pytest.raises(
        PfsmError, match=r"row 'one': train: max_jump is 3, but the initial model en-small has"
    ):
        read_experiment(path)
