"""The small jobs that ``fault_runs.py`` disturbs: commands, and their inputs."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Command:
    """A command to be disturbed: its arguments in a folder of inputs, and what makes these from a seed."""

    arguments: tuple[str, ...]
    inputs: Callable[[Path, int], None]


def commands() -> dict[str, Command]:
    """What is disturbed."""
    return {
        "train": Command(
            (
                "train",
                "judgments.tsv",
                "-o",
                "model.json",
                "--resume",
                "--threads",
                "1",
                "--config",
                "small.yaml",
            ),
            _judgments,
        ),
        "experiment": Command(
            ("experiment", "table.yaml", "--data", ".", "-o", "results", "--jobs", "1"), _experiment
        ),
        "score": Command(("score", "--table", "in", "-o", "scores", "--partition-size", "1k"), partitions),
        "compile": Command(("resources", "compile", "paraphrases", "pairs.txt", "--name", "own"), _pairs),
        "cache": Command(("score", "ref.txt", "-i", "sys.txt", "--metric", "edpm", "-sl"), _texts),
    }


def _sentences(count: int, seed: int) -> list[tuple[str, str, str]]:
    words = [*"abcdefgh", "house", "river", "garden", "small", "green", ",", "."]
    rng = random.Random(seed)
    rows = []
    for _ in range(count):
        reference = [rng.choice(words) for _ in range(rng.randint(3, 8))]
        kept = [word for word in reference if rng.random() < 0.7] or reference[:1]
        rows.append((" ".join(reference), " ".join(kept), str(len(kept) - len(reference) + rng.random())))
    return rows


def _table(path: Path, count: int, seed: int) -> None:
    rows = [("reference", "hypothesis", "score"), *_sentences(count, seed)]
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


def _judgments(folder: Path, seed: int) -> None:
    _table(folder / "judgments.tsv", 40, seed)
    (folder / "small.yaml").write_text("matchers: [word]\nlambda: 1\n", encoding="utf-8")


def _experiment(folder: Path, seed: int) -> None:
    _table(folder / "train" / "a.tsv", 40, seed)
    _table(folder / "test" / "a.tsv", 30, seed + 1)
    (folder / "table.yaml").write_text(
        "title: Two rows\ntrain: train/*.tsv\ntest: {name: made, files: test/*.tsv}\nversus: chrF\nresamples: 20\n"
        "rows:\n- {name: chrF, metric: chrf}\n- {name: pFSM, train: {}}\n",
        encoding="utf-8",
    )


def partitions(folder: Path, seed: int, number: int = 3) -> None:
    """A folder of files of judgments."""
    for n in range(number):
        _table(folder / "in" / f"{n}.tsv", 40, seed + n)


def _pairs(folder: Path, seed: int) -> None:
    likely = 1.0 + 0.01 * seed
    lines = (f"[X] ||| {first} ||| {second} ||| p(e|f)={likely} p(f|e)=1.2 ||| 0-0\n" for first, second in
             (("river", "stream"), ("house", "home"), ("small", "little")))  # fmt: skip
    (folder / "pairs.txt").write_text("".join(lines), encoding="utf-8")


def _texts(folder: Path, seed: int) -> None:
    rows = _sentences(6, seed)
    for name, column in (("ref.txt", 0), ("sys.txt", 1)):
        (folder / name).write_text("".join(f"{row[column]}\n" for row in rows), encoding="utf-8")
