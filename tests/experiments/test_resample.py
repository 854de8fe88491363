"""What an experiment's bootstrap resamples, and the names that statistics answer to."""

from pathlib import Path
from typing import Any

import pytest

from pfsm.errors import PfsmError
from pfsm_experiments.report.output import results_summary
from pfsm_experiments.report.tables import explanation, result_tables
from tests.experiments.conftest import Run
from tests.experiments.experiment_cases import table
from tests.judgment_cases import rows, tsv


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve segments of four documents, three translations each."""
    (tmp_path / "d").mkdir()
    made = rows(36, seed=5)
    texts = [(made[at - at % 3][0], made[at][1], made[at][2]) for at in range(36)]
    columns: dict[str, Any] = {
        "segment_id": [f"{at // 3}" for at in range(36)],
        "system": ["abc"[at % 3] for at in range(36)],
        "document": [f"talk {at // 9}" for at in range(36)],
    }
    (tmp_path / "d" / "all.tsv").write_text(tsv(texts, **columns), encoding="utf-8")
    (tmp_path / "d" / "plain.tsv").write_text(tsv(texts, segment_id=columns["segment_id"]), encoding="utf-8")
    return tmp_path


def values(*statistics: str, file: str = "all", **changes: Any) -> dict[str, Any]:
    metrics = [{"name": name, "metric": name} for name in ("chrf", "ter")]
    test = {"name": "d", "files": f"d/{file}.tsv"}
    return table(
        test=test,
        statistics=list(statistics),
        group_by=None,
        train=None,
        rows=metrics,
        versus="ter",
        **changes,
    )


def test_units_make_a_difference_and_are_told(run: Run, folder: Path) -> None:
    found = []
    for unit in ("segments", "judgments", "documents", "systems"):
        results = run(values("pearson", resample=unit), folder)
        assert results_summary(results, "", [])["resampled"] == unit
        tables = result_tables(results.entries)
        assert f"(60 resamples of {unit}, seed 12345)" in explanation(results.experiment, tables)[0]
        found.append(results.entries[0])
    assert len({entry.value for entry in found}) == 1
    assert len({entry.interval for entry in found}) == 4


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        (
            {"resample": "documents", "file": "plain"},
            "d: resampling documents needs the column 'document', filled",
        ),
        (
            {"resample": "judgments", "names": ["mean-removed"]},
            "d: mean-removed compares translations of one segment",
        ),
        (
            {"file": "plain", "names": ["system-accuracy"]},
            "system-accuracy needs the column 'system', filled",
        ),
    ],
)
def test_refusals_before_any_work(run: Run, folder: Path, changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(PfsmError) as error:
        run(values(*changes.pop("names", ["pearson"]), **changes), folder)
    assert fault in str(error.value)
    assert not (folder / "out" / "cells").exists()
