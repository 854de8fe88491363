"""The encoder that ships: pairs a second of processor time, new and known, and a whole command.

    PFSM_DATA=… python scripts/benchmarks/encoder.py [PAIRS]

New pairs of WMT16 have two new lines each; those of WMT21 share their references among systems, so that a pair has
about one. The store of vectors is compared with computing them. The command scores 2,000 segments of one system in a
fresh process, with nothing stored and with all stored.
"""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from real_data import data_folder, into_english
from report import Report
from stopwatch import cost, cost_of_command

from pfsm.data import read_judgments
from pfsm.embeddings.encoders import load_encoder, load_vectors

SOURCE = "shipped:minilm"
PAIRS, SEGMENTS, LINES_AT_ONCE = 1_000, 2_000, 512
SETS = {"WMT16, two new lines a pair": "wmt16-daseg", "WMT21, references shared": "wmt21-da"}

Pairs = list[tuple[str, str]]


def main() -> None:
    """Times all of it."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    report = Report("The encoder that ships")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PFSM_RESOURCES"] = folder
        for title, name in SETS.items():
            pairs = distinct_pairs(name, number)
            time_states(report, title, pairs)
        time_store(report, distinct_pairs("wmt16-daseg", number))
    with tempfile.TemporaryDirectory() as folder:
        time_command(report, Path(folder))
    report.save()


def distinct_pairs(name: str, number: int) -> Pairs:
    """The first distinct pairs of a set into English."""
    pairs: dict[tuple[str, str], None] = {}
    for path in into_english(data_folder() / name):
        judgments = read_judgments(path)
        order = sorted(zip(judgments.references, judgments.hypotheses, strict=True), key=lambda pair: pair[0])
        pairs |= dict.fromkeys(order)
    return list(pairs)[:number]


def time_states(report: Report, title: str, pairs: Pairs) -> None:
    """Hidden states of new pairs, for all layers or fewer, on one thread and two."""
    encoder = load_encoder(SOURCE)
    lines = list(dict.fromkeys(line for pair in pairs for line in pair))
    pieces = sum(states.ids.size for states in encoder.states(lines[:200], [0])) / min(200, len(lines))
    report.note({f"{title}: lines a pair": len(lines) / len(pairs), f"{title}: pieces a line": pieces})
    for top, threads in ((encoder.layers, 1), (encoder.layers, 2), (4, 1)):

        def work(top: int = top, threads: int = threads) -> None:
            for first in range(0, len(lines), LINES_AT_ONCE):
                encoder.states(lines[first : first + LINES_AT_ONCE], range(top + 1), threads)

        report.add(title, f"layers 0 to {top}, {threads} thread(s)", len(pairs), cost(work, 1, warm_up=False))


def time_store(report: Report, pairs: Pairs) -> None:
    """Vectors of lines: computed and stored, and read by another process's store."""
    lines = list(dict.fromkeys(line for pair in pairs for line in pair))
    section = "vectors of the last layer, one thread"
    report.add(section, "computed and stored", len(pairs), cost(lambda: vectors_of(lines), 1, warm_up=False))
    report.add(section, "read from the store", len(pairs), cost(lambda: vectors_of(lines), 3))


def vectors_of(lines: list[str]) -> None:
    """The vectors as a new process would get them: nothing in memory."""
    vectors = load_vectors(SOURCE)
    getattr(vectors, "_recent").clear()  # noqa: B009 - the benchmark alone forgets
    for first in range(0, len(lines), LINES_AT_ONCE):
        vectors.of_texts(lines[first : first + LINES_AT_ONCE])


def time_command(report: Report, folder: Path) -> None:
    """The whole command."""
    pairs = distinct_pairs("wmt16-daseg", SEGMENTS)
    paths = [str(folder / name) for name in ("reference.txt", "hypothesis.txt")]
    for side, path in enumerate(paths):
        Path(path).write_text("".join(f"{pair[side]}\n" for pair in pairs), encoding="utf-8")
    os.environ["PFSM_RESOURCES"] = str(folder / "resources")
    command = [sys.executable, "-m", "pfsm", "score", paths[0], "-i", paths[1], "--metric", "embedding_f1"]
    report.add(
        "pfsm score --metric embedding_f1",
        "nothing stored",
        len(pairs),
        cost_of_command(command, 1, warm_up=False),
    )
    report.add(
        "pfsm score --metric embedding_f1",
        "all stored",
        len(pairs),
        cost_of_command(command, 1, warm_up=False),
    )


if __name__ == "__main__":
    main()
