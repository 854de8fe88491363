"""Which rows are trained on, and which are tested on, under every scheme."""

from pathlib import Path
from typing import Any

import pytest

from pfsm import Model, PfsmError, save_model
from pfsm.data import read_judgments
from pfsm_experiments import read_experiment
from pfsm_experiments.data import DataFolder, Judged
from pfsm_experiments.plan import Cell, Plan, make_plan
from tests.experiments.experiment_cases import table, write_experiment
from tests.judgment_cases import rows, tsv

TRAINED = [{"name": "pFSM", "train": {}}]


def plan(tmp_path: Path, data: Path, **changes: Any) -> Plan:
    changes = {"versus": None, "rows": TRAINED, **changes}
    experiment = read_experiment(write_experiment(tmp_path, table(**changes)))
    return make_plan(experiment, DataFolder(data))


def trained_on(cell: Cell) -> Judged:
    assert cell.train is not None
    (part,) = cell.train.parts
    return part


def held_out(found: Plan, cell: Cell) -> Judged:
    (test,) = found.tests
    return test.data.select(cell.tests[test.name])


def ids(data: Judged) -> set[str]:
    return set(data.columns["segment_id"])


def test_train_and_test(tmp_path: Path, data: Path) -> None:
    found = plan(tmp_path, data)
    (cell,) = found.cells
    assert len(trained_on(cell)) == 120
    assert len(held_out(found, cell)) == 90
    assert found.notes == ()


def test_round_robin(tmp_path: Path, data: Path) -> None:
    found = plan(tmp_path, data, scheme="round-robin", test=None, train={"name": "t", "files": "train/*.tsv"})
    assert [cell.fold for cell in found.cells] == ["without cs", "without de", "without fi"]
    for cell, language in zip(found.cells, ("cs", "de", "fi"), strict=True):
        assert set(held_out(found, cell).columns["source_lang"]) == {language}
        assert set(trained_on(cell).columns["source_lang"]) == {"cs", "de", "fi"} - {language}
        assert (len(trained_on(cell)), len(held_out(found, cell))) == (80, 40)


def test_round_robin_on_other_data(tmp_path: Path, data: Path) -> None:
    found = plan(tmp_path, data, scheme="round-robin", train="train/[cd]*.tsv")
    sizes = {cell.fold: (len(trained_on(cell)), len(held_out(found, cell))) for cell in found.cells}
    assert sizes == {"without cs": (40, 30), "without de": (40, 30), "without fi": (80, 30)}


def test_folds_divide_the_data_and_keep_references_together(tmp_path: Path, data: Path) -> None:
    (tmp_path / "d").mkdir()
    made = [(f"reference {k // 3} {reference}"[:12], h, s) for k, (reference, h, s) in enumerate(rows(60))]
    text = tsv(made, segment_id=[str(k) for k in range(60)])
    (tmp_path / "d" / "all.tsv").write_text(text, encoding="utf-8")
    changes = {"scheme": "k-fold", "folds": 4, "test": None, "train": "d/*.tsv", "group_by": None}
    found = plan(tmp_path, tmp_path, **changes)
    assert [cell.fold for cell in found.cells] == ["fold 1", "fold 2", "fold 3", "fold 4"]
    tested = [ids(held_out(found, cell)) for cell in found.cells]
    assert set.union(*tested) == {str(k) for k in range(60)}
    assert sum(map(len, tested)) == 60
    for cell in found.cells:
        assert ids(trained_on(cell)) | ids(held_out(found, cell)) == {str(k) for k in range(60)}
        assert not set(trained_on(cell).references) & set(held_out(found, cell).references)


def test_learning_curve(tmp_path: Path, data: Path) -> None:
    found = plan(tmp_path, data, scheme="learning-curve", sizes=[10, 30, "all"], repeats=2)
    assert found.sizes == (10, 30, 120)
    assert [(cell.size, cell.sample) for cell in found.cells] == [
        (10, 0),
        (10, 1),
        (30, 0),
        (30, 1),
        (120, 0),
    ]
    small, other, large = (ids(trained_on(found.cells[k])) for k in (0, 1, 2))
    assert len(small) == 10
    assert small < large
    assert small != other


def test_metrics_and_models_are_one_cell_each(tmp_path: Path, data: Path) -> None:
    made = [{"name": "chrF", "metric": "chrf"}, {"name": "shipped", "model": "en-small"}]
    found = plan(tmp_path, data, rows=made, scheme="learning-curve", sizes=[10])
    assert [(cell.row.name, cell.size) for cell in found.cells] == [("chrF", None), ("shipped", None)]


class TestOverlapWithTraining:
    def test_a_row_is_not_tested_on_its_training_data(self, tmp_path: Path, data: Path) -> None:
        found = plan(
            tmp_path,
            data,
            rows=[*TRAINED, {"name": "cheat", "train": {}, "train_data": "test/cs-en.tsv"}],
        )
        (cell,) = found.cells
        assert cell.row.name == "pFSM"
        assert found.notes == ("cheat: not tested on made: 30 of its pairs are in the training data",)

    def test_in_a_learning_curve_all_that_samples_are_drawn_from_counts(
        self, tmp_path: Path, data: Path
    ) -> None:
        curve = {"scheme": "learning-curve", "sizes": [5, 50], "repeats": 4}
        found = plan(tmp_path, data, train=["train/*.tsv", "test/fi-en.tsv"], **curve)
        assert found.cells == ()
        assert found.notes == ("pFSM: not tested on made: 30 of its pairs are in the training data",)

    def test_other_rows_of_the_same_file_may_be_trained_on(self, tmp_path: Path) -> None:
        (tmp_path / "d").mkdir()
        text = tsv(rows(40), half=["a"] * 20 + ["b"] * 20)
        (tmp_path / "d" / "all.tsv").write_text(text, encoding="utf-8")
        parts = [{"files": "d/all.tsv", "where": {"half": half}} for half in "ab"]
        found = plan(tmp_path, tmp_path, train=parts[0], test=parts[1], group_by=None)
        assert len(found.cells) == 1

    def test_a_model_is_not_tested_on_its_training_data(self, tmp_path: Path, data: Path) -> None:
        checksum = read_judgments(data / "test" / "cs-en.tsv").sources[0].checksum
        model = Model("old", weights={"S_word": 1.0}, training={"data": [{"sha256": checksum}]})
        save_model(model, tmp_path / "old.json")
        made = [{"name": "old", "model": "old.json"}, {"name": "new", "train": {}, "init": "old.json"}]
        found = plan(tmp_path, data, rows=made)
        assert found.cells == ()
        assert found.notes == (
            "old: not tested on made: the model old was trained on it",
            "new: not tested on made: the model old was trained on it",
        )

    def test_references_in_common_are_noted(self, tmp_path: Path, data: Path) -> None:
        lines = (data / "test" / "cs-en.tsv").read_text(encoding="utf-8").splitlines()
        header, *fields = (line.split("\t") for line in lines)
        place = header.index("hypothesis")
        for row in fields[:7]:
            row[place] += " more"
        (tmp_path / "other.tsv").write_text(
            "".join("\t".join(row) + "\n" for row in [header, *fields[:7]]), encoding="utf-8"
        )
        (tmp_path / "test").symlink_to(data / "test")
        found = plan(tmp_path, tmp_path, train="other.tsv")
        total = len(set(found.tests[0].data.references))
        assert found.notes == (f"7 of the {total} references of made are in the training data",)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"group_by": "colour"}, "test 1: the data has no column 'colour' to group by"),
        ({"scheme": "round-robin", "by": "colour"}, "by: the data has no column 'colour'"),
        (
            {"scheme": "k-fold", "test": None, "by": "source_lang", "folds": 4},
            "4 folds need 4 values of 'source_lang', there are 3",
        ),
        (
            {"scheme": "learning-curve", "sizes": [10, 121]},
            "sizes has 121, but row 'pFSM' has 120 judgments",
        ),
        (
            {"statistics": ["accuracy"]},
            "statistics has none for made, which has scores; for scores there are pearson",
        ),
        (
            {"test": "pairs/*.tsv"},
            "statistics has none for pairs, which has preferences; for preferences there are accuracy",
        ),
        (
            {"scheme": "round-robin", "train": "train/cs-en.tsv", "test": "test/cs-en.tsv"},
            r"row 'pFSM' \(without cs\): no training data is left",
        ),
        (
            {"scheme": "learning-curve", "train": ["train/*.tsv", "pairs/*.tsv"]},
            "a learning curve needs either scores or preferences to train on, not both",
        ),
    ],
)
def test_data_that_does_not_fit_the_experiment_is_refused(
    tmp_path: Path, data: Path, changes: dict[str, Any], fault: str
) -> None:
    with pytest.raises(PfsmError, match=fault):
        plan(tmp_path, data, **changes)


def test_statistics_that_apply_to_no_test_set_are_noted(tmp_path: Path) -> None:
    (tmp_path / "test.tsv").write_text(tsv(rows(8)), encoding="utf-8")
    config = tmp_path / "c.yaml"
    config.write_text(
        "title: T\ntest: test.tsv\nrows: [{name: chrF, metric: chrf}]\nstatistics: [pearson, tau_wmt14]\n",
        encoding="utf-8",
    )
    plan = make_plan(read_experiment(config), DataFolder(tmp_path))
    assert plan.notes == ("tau_wmt14: left out: it applies to none of the test sets",)


def test_weights_of_judgments_are_checked_first(tmp_path: Path, data: Path) -> None:
    """Nothing is trained where a row asks for weights that its data lacks; test sets need none."""
    weighted = [{"name": "weighted", "train": {"weights": "hter"}}]
    assert len(plan(tmp_path, data, rows=weighted).cells) == 1
    missing = [{"name": "weighted", "train": {"weights": "raters"}}]
    with pytest.raises(PfsmError, match=r"row 'weighted': .*: no column 'raters' besides the texts"):
        plan(tmp_path, data, rows=missing)
    with pytest.raises(PfsmError, match=r"row 'weighted': weights is for judgments with scores"):
        plan(
            tmp_path,
            data,
            rows=[{"name": "weighted", "train": {"weights": "votes"}}],
            train="pairs/*.tsv",
            test={"name": "pairs", "files": "pairs/*.tsv"},
            group_by=None,
            statistics=["accuracy"],
        )
