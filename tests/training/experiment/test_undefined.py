"""Where a row has no number in a group, or no resample has one: what is compared, and what is shown."""

from pathlib import Path
from typing import Any

import pytest

from pfsm.evaluation.bootstrap import resampled_rows
from pfsm.evaluation.samples import group_seed
from pfsm_training.experiment.data import MEAN
from pfsm_training.experiment.estimates import Contrast
from pfsm_training.experiment.figures import bars
from pfsm_training.experiment.markup import result_table
from pfsm_training.experiment.run import Results
from pfsm_training.experiment.tables import explanation, markdown_table, result_tables
from tests.judgment_cases import rows, tsv
from tests.training.experiment.conftest import Run
from tests.training.experiment.experiment_cases import table

METRICS = ("bleu", "per", "chrf")


def values(**changes: Any) -> dict[str, Any]:
    whole = {
        "train": None,
        "versus": "bleu",
        "rows": [{"name": name, "metric": name} for name in METRICS],
        "statistics": ["pearson"],
    }
    return table(**(whole | changes))


def found(results: Results, row: str, other: str, group: str) -> Contrast:
    (one,) = (
        one for one in results.contrasts if (one.row, one.other, one.column.group) == (row, other, group)
    )
    return one


def reading(results: Results) -> list[str]:
    return explanation(results.experiment, result_tables(results.entries))


@pytest.fixture
def uneven(tmp_path: Path) -> Path:
    """Two languages; in de, every hypothesis has the words of its reference in another order."""
    (tmp_path / "test").mkdir()
    for language, seed in (("cs", 1), ("de", 2)):
        made = rows(30, seed)
        if language == "de":
            made = [(one, " ".join(reversed(one.split())), score) for one, _, score in made]
        text = tsv(made, source_lang=language)
        (tmp_path / "test" / f"{language}-en.tsv").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def results(run: Run, uneven: Path) -> Results:
    """PER scores all alike in de: it has no correlation there, and nothing to compare with."""
    return run(values(contrasts=[["per", "bleu"], ["chrf", "bleu"], ["chrf", "per"]]), uneven)


@pytest.mark.parametrize(("row", "other"), [("per", "bleu"), ("chrf", "per")])
def test_means_are_compared_over_the_groups_that_both_rows_have(
    results: Results, row: str, other: str
) -> None:
    assert found(results, row, other, "de").difference is None
    overall, alone = found(results, row, other, MEAN), found(results, row, other, "cs")
    assert overall.difference is not None
    assert alone.difference is not None
    assert overall.values == alone.values
    assert overall.difference.value == alone.difference.value
    assert overall.difference.interval == alone.difference.interval
    assert overall.difference.p_value == alone.difference.p_value


def test_other_rows_are_compared_over_all_groups(results: Results) -> None:
    overall, *groups = (found(results, "chrf", "bleu", group) for group in (MEAN, "cs", "de"))
    differences = [one.difference.value for one in groups if one.difference is not None]
    assert overall.difference is not None
    assert overall.difference.value == pytest.approx(sum(differences) / 2)
    assert len(differences) == 2


def test_the_table_marks_the_same_difference_and_says_so(results: Results) -> None:
    (entry,) = (one for one in results.entries if (one.row, one.column.group) == ("per", MEAN))
    assert entry.value == found(results, "per", "bleu", "cs").values[0]
    expected = found(results, "per", "bleu", MEAN).difference
    assert entry.difference is not None
    assert expected is not None
    assert entry.difference.value == expected.value
    assert any("compared over the groups that both have" in line for line in reading(results))


def test_nothing_is_said_of_dashes_where_there_are_none(run: Run) -> None:
    assert not any("dash" in line for line in reading(run(values())))


def test_no_resample_has_a_value(run: Run, tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    """Two segments, one resample, of one of them twice: there is nothing to test with, and no NaN is shown."""
    (tmp_path / "two").mkdir()
    text = "reference\thypothesis\tscore\na b c d\ta b c\t1\nthe house is big\tthe house\t0.5\n"
    (tmp_path / "two" / "all.tsv").write_text(text, encoding="utf-8")
    seed = next(seed for seed in range(100) if drawn_twice(seed))
    settings = values(
        test={"name": "two", "files": "two/*.tsv"},
        group_by=None,
        resamples=1,
        seed=seed,
        contrasts=[["chrf", "per"]],
    )
    results = run(settings, tmp_path)
    (contrast,) = results.contrasts
    assert None not in contrast.values
    assert contrast.difference is None
    (shown,) = result_tables(results.entries)
    assert "[–, –]" in markdown_table(shown, intervals=True)
    assert "nan" not in markdown_table(shown, intervals=True)
    assert not recwarn.list


def test_a_single_segment_has_no_intervals_and_no_marks(
    run: Run, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    """Three translations of one segment: every resample is that segment, and says nothing of chance."""
    (tmp_path / "one").mkdir()
    translations = ("the house is", "a house big", "the big house is old", "is")
    lines = [f"the house is big\t{text}\t{score}" for score, text in enumerate(translations)]
    (tmp_path / "one" / "all.tsv").write_text(
        "\n".join(["reference\thypothesis\tscore", *lines, ""]), encoding="utf-8"
    )
    settings = values(test={"name": "one", "files": "one/*.tsv"}, group_by=None, contrasts=[["chrf", "per"]])
    results = run(settings, tmp_path)
    assert all(entry.value is not None for entry in results.entries)
    assert all(entry.interval is None and entry.difference is None for entry in results.entries)
    assert [contrast.difference for contrast in results.contrasts] == [None]
    (shown,) = result_tables(results.entries)
    assert "| bleu | -.911 [–, –] |" in markdown_table(shown, intervals=True)
    assert '<span class="interval">–</span>' in result_table(shown)
    bars(shown)
    assert not recwarn.list


def drawn_twice(seed: int) -> bool:
    """Whether the one resample of two rows has one of them twice."""
    (drawn,) = resampled_rows(2, 1, group_seed(seed, "all"))
    return len(set(drawn[0].tolist())) == 1
