"""Input in many files of several kinds, made up."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.judgment_cases import Row, rows


def columns(made: Sequence[Row], name: str) -> dict[str, list[str]]:
    """The columns of a file; every third row has a second reference."""
    references, hypotheses, scores = zip(*made, strict=True)
    second = [reference[::-1] if number % 3 == 0 else "" for number, reference in enumerate(references)]
    return {
        "id": [f"{name}-{number}" for number in range(len(made))],
        "reference": list(references),
        "hypothesis": list(hypotheses),
        "reference_2": second,
        "score_of_people": list(scores),
    }


def tsv_bytes(table: dict[str, list[str]], end: str = "\n") -> bytes:
    """The columns as TSV."""
    lines = ["\t".join(table), *map("\t".join, zip(*table.values(), strict=True))]
    return "".join(f"{line}{end}" for line in lines).encode()


def write_all(folder: Path, n_rows: int = 60) -> dict[str, dict[str, list[str]]]:
    """A file of every kind, one in a folder of its own; the columns of each by its name below the folder."""
    names = ["a.tsv", "b.tsv.gz", "c.tsv.zst", "deep/d.parquet", "e.tsv"]
    tables = {name: columns(rows(n_rows, seed), name[0]) for seed, name in enumerate(names)}
    (folder / "deep").mkdir(parents=True)
    (folder / "a.tsv").write_bytes(tsv_bytes(tables["a.tsv"]))
    (folder / "b.tsv.gz").write_bytes(gzip.compress(tsv_bytes(tables["b.tsv.gz"])))
    with pa.CompressedOutputStream(str(folder / "c.tsv.zst"), "zstd") as packed:
        packed.write(tsv_bytes(tables["c.tsv.zst"]))
    pq.write_table(pa.table(tables["deep/d.parquet"]), folder / "deep" / "d.parquet", row_group_size=25)
    # A byte order mark, Windows line ends, no line end at the end.
    (folder / "e.tsv").write_bytes(b"\xef\xbb\xbf" + tsv_bytes(tables["e.tsv"], "\r\n")[:-2])
    (folder / "_ignored.tsv").write_text("no header\n", encoding="utf-8")
    (folder / "notes.txt").write_text("nothing\n", encoding="utf-8")
    return tables


def scores_below(folder: Path) -> dict[str, list[float]]:
    """The scores of every input file, its partitions end to end, from TSV or Parquet."""
    found: dict[str, list[float]] = {}
    for path in sorted(folder.rglob("*.[0-9]*.[!j]*")):  # no records
        name = str(path.relative_to(folder)).rsplit(".", 2)[0]
        if path.suffix == ".parquet":
            scores = pq.read_table(path).column("score").to_pylist()
        else:
            scores = [float(line.split("\t")[-1]) for line in path.read_text("utf-8").splitlines()[1:]]
        found.setdefault(name, []).extend(scores)
    return found
