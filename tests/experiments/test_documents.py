"""Statistics of documents in the tables of an experiment."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm_experiments.report.tables import explanation, result_tables
from tests.experiments.conftest import Run
from tests.experiments.experiment_cases import table
from tests.judgment_cases import rows, tsv

ALL = ["document-pearson", "document-spearman", "document-kendall_tau_b", "document-mean-removed"]


def write_set(folder: Path, **columns: Any) -> Path:
    """Eight documents of two segments by three systems, of the same names in two languages; rows in any order."""
    count = 2 * 8 * 2 * 3
    order = np.random.default_rng(1).permutation(count)
    made = rows(count, seed=5)
    named: dict[str, Any] = {
        "source_lang": [("cs", "de")[at // 48] for at in order],
        "document": [f"news {at % 8}" for at in order],
        "system": ["abc"[at // 8 % 3] for at in order],
    }
    (folder / "d").mkdir(exist_ok=True)
    kept = {name: fields for name, fields in (named | columns).items() if fields is not None}
    (folder / "d" / "all.tsv").write_text(tsv([made[at] for at in order], **kept), encoding="utf-8")
    return folder


def values(*statistics: str, **changes: Any) -> dict[str, Any]:
    lines = [{"name": "chrF", "metric": "chrf"}, {"name": "TER", "metric": "ter"}]
    test = {"name": "made", "files": "d/*.tsv"}
    return table(test=test, statistics=list(statistics), train=None, rows=lines, **changes)


def test_what_is_drawn_is_told(run: Run, tmp_path: Path) -> None:
    """Documents, not their segments: one segment or ten, they count alike in the resamples."""
    folder = write_set(tmp_path)
    for statistics, told in (
        (["pearson"], "60 resamples of segments, seed"),
        (["document-pearson"], "60 resamples of documents, seed"),
        (["pearson", "document-pearson"], "of segments, or of documents where the table says so, seed"),
    ):
        results = run(values(*statistics), folder)
        assert told in explanation(results.experiment, result_tables(results.entries))[0]


def test_one_system_leaves_nothing_when_its_mean_is_gone(run: Run, tmp_path: Path) -> None:
    folder = write_set(tmp_path, system="a")
    found = {one.statistic: one.value for one in run(values(*ALL), folder).entries if one.row == "TER"}
    assert found["document-mean-removed"] is None
    assert found["document-pearson"] is not None


@pytest.mark.parametrize("column", ["document", "system"])
@pytest.mark.parametrize("field", [None, "", ["x"] * 95 + [" "]])
def test_refusals(run: Run, tmp_path: Path, column: str, field: Any) -> None:
    folder = write_set(tmp_path, **{column: field})
    with pytest.raises(
        PfsmError, match=rf"document-pearson needs the column '{column}', filled in every row"
    ):
        run(values("pearson", "document-pearson", "document-mean-removed"), folder)
    run(values("pearson"), folder)
