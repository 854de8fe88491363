"""Which rows of which files are trained and tested on, under every scheme; rows whose requirements are missing."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm import Model, PfsmError, save_model
from pfsm.data import Judgments, read_judgments
from pfsm_experiments import read_experiment
from pfsm_experiments.data import DataFolder, Judged, sample_rows
from pfsm_experiments.plan import Cell, Plan, make_plan
from pfsm_experiments.spec import DataSpec
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
    sizes = [(10, 0), (10, 1), (30, 0), (30, 1), (120, 0)]
    assert [(cell.size, cell.sample) for cell in found.cells] == sizes
    small, other, large = (ids(trained_on(found.cells[k])) for k in (0, 1, 2))
    assert len(small) == 10
    assert small < large
    assert small != other


class TestOverlapWithTraining:
    def test_no_row_is_tested_on_its_training_data(self, tmp_path: Path, data: Path) -> None:
        checksum = read_judgments(data / "test" / "cs-en.tsv").sources[0].checksum
        model = Model("old", weights={"S_word": 1.0}, training={"data": [{"sha256": checksum}]})
        save_model(model, tmp_path / "old.json")
        made = [
            {"name": "cheat", "train": {"lambda": 5}, "train_data": "test/cs-en.tsv"},
            {"name": "old", "model": "old.json"},
            {"name": "new", "train": {"lambda": 5}, "init": "old.json"},
        ]
        found = plan(tmp_path, data, rows=[*TRAINED, *made])
        assert [cell.row.name for cell in found.cells] == ["pFSM"]
        assert found.notes == (
            "cheat: not tested on made: 30 of its pairs are in the training data",
            "old: not tested on made: the model old was trained on it",
            "new: not tested on made: the model old was trained on it",
        )

    def test_references_in_common_are_noted(self, tmp_path: Path, data: Path) -> None:
        judged = read_judgments(data / "test" / "cs-en.tsv")
        pairs = zip(judged.references[:7], judged.hypotheses[:7], strict=True)
        text = tsv([(reference, f"{hypothesis} more", "1") for reference, hypothesis in pairs])
        (tmp_path / "other.tsv").write_text(text, encoding="utf-8")
        (tmp_path / "test").symlink_to(data / "test")
        found = plan(tmp_path, tmp_path, train="other.tsv")
        total = len(set(found.tests[0].data.references))
        assert found.notes == (f"7 of the {total} references of made are in the training data",)


def test_data_that_does_not_fit_the_experiment_is_refused(tmp_path: Path, data: Path) -> None:
    sizes = {"scheme": "learning-curve", "sizes": [10, 121]}
    alone = {"scheme": "round-robin", "train": "train/cs-en.tsv", "test": "test/cs-en.tsv"}
    changes: dict[str, Any]
    for changes, fault in (
        (sizes, "sizes has 121, but row 'pFSM' has 120 judgments"),
        (
            {"statistics": ["accuracy"]},
            "statistics has none for made, which has scores; for scores there are",
        ),
        (alone, r"row 'pFSM' \(without cs\): no training data is left"),
    ):
        with pytest.raises(PfsmError, match=fault):
            plan(tmp_path, data, **changes)


def spec(*files: str, **keys: object) -> DataSpec:
    return DataSpec(files=files, where="t.yaml: train 1", **keys)  # type: ignore[arg-type]


def read(data: Path, one: DataSpec) -> Judgments:
    found, _ = DataFolder(data).read(one)
    assert isinstance(found, Judgments)
    return found


def test_patterns_and_values(data: Path) -> None:
    assert len(read(data, spec("train/*.tsv"))) == 120
    kept = read(data, spec("train/*.tsv", keep={"source_lang": ("cs", "fi")}))
    assert set(kept.columns["source_lang"]) == {"cs", "fi"}
    assert len(kept) == 80
    assert {source.name for source in kept.sources} == {"cs-en.tsv", "de-en.tsv", "fi-en.tsv"}


def test_another_column_and_its_sign(data: Path) -> None:
    scores = read(data, spec("train/cs-en.tsv")).scores
    hter = read(data, spec("train/cs-en.tsv", score_column="hter", negate=True)).scores
    np.testing.assert_allclose(hter, scores / 6.0 - 1.0, atol=1e-4)


def test_samples_do_not_depend_on_the_order_of_rows(data: Path) -> None:
    judgments = read(data, spec("train/*.tsv"))
    turned = judgments.select(np.arange(len(judgments))[::-1])
    first = judgments.select(sample_rows(judgments, 30, "s"))
    second = turned.select(sample_rows(turned, 30, "s"))
    assert set(zip(first.hypotheses, first.scores, strict=True)) == set(
        zip(second.hypotheses, second.scores, strict=True)
    )


def test_what_cannot_be_read(data: Path) -> None:
    for one, fault in (
        (spec("/etc/*.tsv"), r"'/etc/\*\.tsv' is not a valid pattern of files in "),
        (spec("train/*.tsv", keep={"colour": ("xx",)}), "has no column 'colour' to group by; columns are s"),
        (spec("train/*.tsv", sample=121), "sample is 121, but there are 120 rows"),
        (spec("*/cs-en.tsv"), "files matches both absolute scores and preferences"),
    ):
        with pytest.raises(PfsmError, match=fault):
            DataFolder(data).read(one)


def test_test_sets_that_are_refused(tmp_path: Path, data: Path) -> None:
    with pytest.raises(PfsmError, match="two test sets are called 'test'"):
        DataFolder(data).test_sets([spec("test/cs-en.tsv"), spec("test/de-en.tsv")], None)
    text = "reference\thypothesis\tscore\tyear\na\tb\t1\t2020\na\tc\t2\tmean\n"
    (tmp_path / "x.tsv").write_text(text, encoding="utf-8")
    assert DataFolder(tmp_path).test_sets([spec("x.tsv")], None)
    with pytest.raises(
        PfsmError, match="year is 'mean' in a row, which is the name of the mean over the groups"
    ):
        DataFolder(tmp_path).test_sets([spec("x.tsv")], "year")


RATIO = {"name": "ratio", "metric": "length_ratio"}
VECTORS = {"matchers": ["word", "emb"], "options": {"emb": {"source": "/no/such.vec"}}}
TABLE = {"matchers": ["word", "para"], "options": {"para": {"table": "absent"}}}


def test_rows_without_what_they_need_are_left_out_if_optional_else_refused(
    tmp_path: Path, data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    found = plan(tmp_path, data, rows=[RATIO, {"name": "vectors", "train": VECTORS, "optional": True}])
    assert [cell.row.name for cell in found.cells] == ["ratio"]
    # The table is read elsewhere too, where folders of this machine mean nothing.
    assert "vectors: left out: something that it needs is not installed" in found.notes
    assert "vectors: left out: there are no vectors /no/such.vec" in caplog.text
    for options, fault in (
        (VECTORS, r"there are no vectors /no/such\.vec; say --resource such\.vec=PATH"),
        (TABLE, "there is no table of paraphrases absent"),
    ):
        with pytest.raises(PfsmError, match=rf"table\.yaml: row 'one': {fault}"):
            plan(tmp_path, data, rows=[RATIO, {"name": "one", "train": options}])
