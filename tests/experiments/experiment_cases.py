"""A small made-up data folder, and experiments on it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from pfsm_experiments.task import Outcome, Task, run_task
from tests.judgment_cases import preferences, rows, tsv

LANGUAGES = ("cs", "de", "fi")


def write_data(folder: Path) -> Path:
    """``train/`` and ``test/`` with one file a language, ``pairs/`` with preferences; returns the folder."""
    for number, language in enumerate(LANGUAGES):
        for part, count, seed in (("train", 40, 10), ("test", 30, 20)):
            made = rows(count, seed + number)
            ids = [f"{part}.{language}.{at}" for at in range(count)]
            (folder / part).mkdir(parents=True, exist_ok=True)
            hter = [f"{1.0 - float(score) / 6.0:.4f}" for _, _, score in made]
            text = tsv(made, source_lang=language, segment_id=ids, hter=hter)
            (folder / part / f"{language}-en.tsv").write_text(text, encoding="utf-8")
    (folder / "pairs").mkdir(exist_ok=True)
    (folder / "pairs" / "cs-en.tsv").write_text(preferences(rows(10)), encoding="utf-8")
    return folder


def table(**changes: Any) -> dict[str, Any]:
    """An experiment with three rows; keys with the value None are left out."""
    whole: dict[str, Any] = {
        "title": "A made-up table",
        "train": "train/*.tsv",
        "test": {"name": "made", "files": "test/*.tsv"},
        "group_by": "source_lang",
        "statistics": ["pearson", "spearman"],
        "versus": "chrF",
        "resamples": 60,
        "rows": [
            {"name": "chrF", "metric": "chrf"},
            {"name": "pFSM", "train": {"lambda": 5}},
            {"name": "near | en-small", "train": {"lambda": 50}, "init": "en-small"},
        ],
    }
    return {key: value for key, value in (whole | changes).items() if value is not None}


def write_experiment(folder: Path, values: object, name: str = "table.yaml") -> Path:
    """A YAML file."""
    path = folder / name
    path.write_text(yaml.safe_dump(values, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return path


def run_here(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Outcome]]:
    """Runs tasks in this process instead of worker processes."""
    for task in tasks:
        yield task, run_task(task)


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
