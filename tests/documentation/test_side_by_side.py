"""The table of several experiments side by side, from results written by hand."""

import json
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from build_results import section
from side_by_side import COLUMNS, HEADING, side_by_side


def write(folder: Path, values: dict[str, float | None]) -> None:
    """Results in which every column has these numbers, as means of two groups or of a single one."""
    entries = defaultdict(list)
    for number, column in enumerate(COLUMNS):
        for row, value in values.items():
            for group, own in (("mean", value), ("cs", 9.0)) if number % 2 else (("zh", value),):
                entries[column.experiment].append(
                    {
                        "row": row,
                        "statistic": column.statistic,
                        "test": column.test,
                        "group": group,
                        "value": own,
                    }
                )
    for name, results in entries.items():
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "results.json").write_text(json.dumps({"results": results}), encoding="utf-8")


def test_numbers_levels_and_the_highest(tmp_path: Path) -> None:
    write(tmp_path, {"O_l": 0.5, "SR-Or-*": -0.25, "DR-STM_i": 0.51, "CP-STM": None})
    text = side_by_side(tmp_path)
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    assert text.startswith(HEADING)
    assert [len(line) for line in lines] == [len(COLUMNS) + 2] * 6
    assert lines[2:] == [
        ["lexical", "O_l", *[".500"] * len(COLUMNS)],
        ["roles", "SR-Or-*", *["-.250"] * len(COLUMNS)],
        ["discourse", "DR-STM_i", *["**.510**"] * len(COLUMNS)],
        ["constituents", "CP-STM", *["–"] * len(COLUMNS)],
    ]


def test_nothing_where_an_experiment_was_not_run(tmp_path: Path) -> None:
    write(tmp_path, {"O_l": 0.5})
    (tmp_path / COLUMNS[0].experiment / "results.json").unlink()
    assert side_by_side(tmp_path) == ""


def test_tables_without_a_number_are_left_out() -> None:
    head = "| r of systems | cs | de |\n| --- | --- | --- |\n"
    empty = f"## Empty\n\n{head}| a | – | – |\n| n | 5 | 5 |\n"
    half = f"## Half\n\n{head}| a | – | .1 |\n| n | 5 | 5 |\n"
    text = f"# Title\n\nAbout.\n\n{empty}\n{half}"
    found = section("any", text)
    assert "### Half" in found
    assert "Empty" not in found
