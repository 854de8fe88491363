"""Rows with missing requirements: left out with a note if they are optional, otherwise refused."""

import re
from pathlib import Path

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm_experiments.data import DataFolder
from pfsm_experiments.plan import make_plan, without_places
from pfsm_experiments.reading import read_experiment

ROW = "{name: vectors, train: {matchers: [word, emb], options: {emb: {source: /no/such.vec}}}%s}"

TABLE = "train: {matchers: [word, para], options: {para: {table: absent}}}"


def experiment(folder: Path, row: str) -> Path:
    random = np.random.default_rng(3)
    lines = [f"the cat {number}\tthe dog {number}\t{random.normal()}" for number in range(20)]
    for name in ("train", "test"):
        table = "\n".join(["reference\thypothesis\tscore", *(line.replace("the", name) for line in lines)])
        (folder / f"{name}.tsv").write_text(f"{table}\n")
    path = folder / "x.yaml"
    path.write_text(
        f"title: t\ntrain: train.tsv\ntest: test.tsv\nrows:\n  - {{name: ratio, metric: length_ratio}}\n  - {row}\n"
    )
    return path


def test_an_optional_row_is_left_out_with_a_note(tmp_path: Path) -> None:
    plan = make_plan(read_experiment(experiment(tmp_path, ROW % ", optional: true")), DataFolder(tmp_path))
    assert [cell.row.name for cell in plan.cells] == ["ratio"]
    assert any(note.startswith("vectors: left out: there are no vectors /no/such.vec") for note in plan.notes)


def test_a_row_that_is_not_optional_is_refused_by_name(tmp_path: Path) -> None:
    path = experiment(tmp_path, ROW % "")
    fault = f"{path}: row 'vectors': there are no vectors /no/such.vec; say --resource such.vec=PATH"
    with pytest.raises(PfsmError, match=f"^{re.escape(fault)}"):
        make_plan(read_experiment(path), DataFolder(tmp_path))
    row = f"{{name: table, {TABLE}}}"
    with pytest.raises(PfsmError, match=r"x.yaml: row 'table': there is no table of paraphrases absent"):
        make_plan(read_experiment(experiment(tmp_path, row)), DataFolder(tmp_path))


def test_a_note_names_no_folder_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are read elsewhere, so the folder of tables has the name used in the documentation."""
    tables = tmp_path / "home" / "tables"
    monkeypatch.setenv("PFSM_RESOURCES", str(tables))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    row = f"{{name: table, {TABLE}, optional: true}}"
    plan = make_plan(read_experiment(experiment(tmp_path, row)), DataFolder(tmp_path))
    (note,) = (note for note in plan.notes if note.startswith("table: left out"))
    assert "absent.lexicon into $PFSM_RESOURCES" in note
    assert str(tmp_path) not in note
    assert without_places(f"{tables}2 and {tables}/a, {tmp_path}/b") == "~/tables2 and $PFSM_RESOURCES/a, ./b"
