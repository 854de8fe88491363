"""Files by pattern, rows by value, samples that do not depend on the order of rows."""

from pathlib import Path

import numpy as np
import pytest

from pfsm import PfsmError
from pfsm.data import Judgments
from pfsm_experiments.data import DataFolder, groups_of, sample_rows
from pfsm_experiments.spec import DataSpec


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


@pytest.mark.parametrize(
    ("one", "fault"),
    [
        (spec("/etc/*.tsv"), r"'/etc/\*\.tsv' is not a valid pattern of files in "),
        (spec("train/*.tsv", keep={"colour": ("xx",)}), "has no column 'colour' to group by; columns are s"),
        (spec("train/*.tsv", sample=121), "sample is 121, but there are 120 rows"),
        (spec("*/cs-en.tsv"), "files matches both absolute scores and preferences"),
    ],
)
def test_what_cannot_be_read(data: Path, one: DataSpec, fault: str) -> None:
    with pytest.raises(PfsmError, match=fault):
        DataFolder(data).read(one)


def test_names_of_test_sets(data: Path) -> None:
    folder = DataFolder(data)
    (found,) = folder.test_sets([spec("test/*.tsv")], "source_lang")
    assert found.name == "test"
    assert found.groups == groups_of(found.data, "source_lang", "")
    with pytest.raises(PfsmError, match="two test sets are called 'test'"):
        folder.test_sets([spec("test/cs-en.tsv"), spec("test/de-en.tsv")], None)


def test_a_group_with_the_name_of_the_mean_is_refused(tmp_path: Path) -> None:
    text = "reference\thypothesis\tscore\tyear\na\tb\t1\t2020\na\tc\t2\tmean\n"
    (tmp_path / "x.tsv").write_text(text, encoding="utf-8")
    assert DataFolder(tmp_path).test_sets([spec("x.tsv")], None)
    with pytest.raises(
        PfsmError, match="year is 'mean' in a row, which is the name of the mean over the groups"
    ):
        DataFolder(tmp_path).test_sets([spec("x.tsv")], "year")
