"""Segments that are numbered anew in every test set, language pair or document are different segments."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pytest

from pfsm.data.formats import read_judged
from pfsm.data.groups import group_names
from pfsm.data.judgments import judgments_from_table
from pfsm.errors import PfsmWarning
from pfsm.evaluation import absolute_question
from pfsm_training.fit.crossval import make_folds
from tests.command_runs import Cli, Write, text

SYSTEMS, NUMBERS, PLACES = ("a", "b", "c"), ("1", "2", "3", "4"), ("x", "y", "z")
HEADER = ("segment_id", "system", "reference", "hypothesis", "score")


def rows(column: str, *, unique: bool) -> list[str]:
    """A table whose segments have the same numbers in every place, or numbers of their own."""
    generator = np.random.default_rng(3)
    found = []
    for place in PLACES:
        for number in NUMBERS:
            words = generator.choice(list("defghij"), 6).tolist()
            for at, system in enumerate(SYSTEMS):
                name = f"{place}.{number}" if unique else number
                fields = (name, system, " ".join(words), " ".join(words[at:]), f"{generator.integers(100)}")
                found.append("\t".join((place, *fields)))
    return ["\t".join((column, *HEADER)), *found]


def partition(names: Sequence[object]) -> set[frozenset[int]]:
    parts = defaultdict(list)
    for row, name in enumerate(names):
        parts[name].append(row)
    return {frozenset(part) for part in parts.values()}


@pytest.mark.parametrize("column", ["document", "doc_id", "test_set", "source_lang", "target_lang"])
def test_numbers_that_begin_anew_are_as_good_as_unique_ones(cli: Cli, write: Write, column: str) -> None:
    asked = (
        "--metric",
        "chrf",
        "--statistics",
        "item-kendall,acc-t,mean-removed",
        "-f",
        "json",
        "--by",
        "system",
    )
    found, parts = [], []
    for unique in (True, False):
        path = write(f"{unique}.tsv", text(rows(column, unique=unique)))
        document = cli("evaluate", path, *asked).document
        found.append({name: value for name, value in document.items() if name != "files"})
        table = read_judged(path)
        data = judgments_from_table(table, "score")
        units = absolute_question(data, np.zeros(len(data), dtype=np.int64), ["all"] * len(data)).items.units
        parts.append([partition(names) for names in (group_names(table, "segment"), units.tolist())])
        folds = make_folds(data, by="segment").member
        assert all(len({*folds[[*part]]}) == 1 for part in parts[0][0])
        if column in {"document", "test_set"}:
            compared = cli("compare", "--table", path, "--metric", "chrf", "-f", "json").document
            assert compared["segments"] == len(PLACES) * len(NUMBERS)
            assert compared.get("documents") == (len(PLACES) if column == "document" else None)
    assert found[0] == found[1]
    assert parts[0] == parts[1]
    assert len(parts[0][0]) == len(parts[0][1]) == len(PLACES) * len(NUMBERS)


def test_a_warning_where_nothing_tells_documents_apart(cli: Cli, write: Write) -> None:
    lines = [line.partition("\t")[2] for line in rows("document", unique=False)]
    path = write("plain.tsv", text(lines))
    said = "plain.tsv:14: segment_id '1' has another reference than at plain.tsv:2, but both count as one segment"
    for command in (("evaluate", path, "--metric", "chrf"), ("data", "split", path)):
        assert cli(*command).err.count(said) == 1
    with pytest.warns(PfsmWarning, match="another reference"):
        make_folds(judgments_from_table(read_judged(path), "score"))
    assert "a column 'document' must name it" in cli("compare", "--table", path, "--metric", "chrf").fault
    # Post-edited references of one source belong to one segment.
    sources = [f"source\t{lines[0]}", *(f"s{line.partition(chr(9))[0]}\t{line}" for line in lines[1:])]
    assert cli("evaluate", write("edited.tsv", text(sources)), "--metric", "chrf").err == ""
