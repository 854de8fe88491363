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

TRAINED = [{"name": "pFSM", "train": {"lambda": 5}}]


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


def test_round_robin(tmp_path: Path, data: Path) -> None:
    found = plan(tmp_path, data, scheme="round-robin", test=None, train={"name": "t", "files": "train/*.tsv"})
    assert [cell.fold for cell in found.cells] == ["without cs", "without de", "without fi"]
    for cell, language in zip(found.cells, ("cs", "de", "fi"), strict=True):
        assert set(held_out(found, cell).columns["source_lang"]) == {language}
        assert set(trained_on(cell).columns["source_lang"]) == {"cs", "de", "fi"} - {language}
        assert (len(trained_on(cell)), len(held_out(found, cell))) == (80, 40)


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


class TestOverlapWithTraining:
    def test_a_row_is_not_tested_on_its_training_data(self, tmp_path: Path, data: Path) -> None:
        found = plan(
            tmp_path,
            data,
            rows=[*TRAINED, {"name": "cheat", "train": {"lambda": 5}, "train_data": "test/cs-en.tsv"}],
        )
        (cell,) = found.cells
        assert cell.row.name == "pFSM"
        assert found.notes == ("cheat: not tested on made: 30 of its pairs are in the training data",)

    def test_a_model_is_not_tested_on_its_training_data(self, tmp_path: Path, data: Path) -> None:
        checksum = read_judgments(data / "test" / "cs-en.tsv").sources[0].checksum
        model = Model("old", weights={"S_word": 1.0}, training={"data": [{"sha256": checksum}]})
        save_model(model, tmp_path / "old.json")
        made = [
            {"name": "old", "model": "old.json"},
            {"name": "new", "train": {"lambda": 5}, "init": "old.json"},
        ]
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
        (
            {"scheme": "learning-curve", "sizes": [10, 121]},
            "sizes has 121, but row 'pFSM' has 120 judgments",
        ),
        (
            {"statistics": ["accuracy"]},
            "statistics has none for made, which has scores; for scores there are pearson",
        ),
        (
            {"scheme": "round-robin", "train": "train/cs-en.tsv", "test": "test/cs-en.tsv"},
            r"row 'pFSM' \(without cs\): no training data is left",
        ),
    ],
)
def test_data_that_does_not_fit_the_experiment_is_refused(
    tmp_path: Path, data: Path, changes: dict[str, Any], fault: str
) -> None:
    with pytest.raises(PfsmError, match=fault):
        plan(tmp_path, data, **changes)
