"""``pfsm score --metric``: other metrics in the same rows, corpus scores as those who know them expect them."""

import pytest

from pfsm.metrics import get_metric
from tests.command_runs import Cli, Write, text
from tests.judgment_cases import rows

HYPOTHESES = [hypothesis for _, hypothesis, _ in rows(50)]
REFERENCES = [reference for reference, _, _ in rows(50)]
OTHERS = [*REFERENCES[:20], "", *REFERENCES[20:49]]


@pytest.fixture(autouse=True)
def files(write: Write) -> None:
    write("one.txt", text(REFERENCES))
    # A blank line of a further file is not a reference here, and an empty one in sacrebleu.
    write("two.txt", text([line or "." for line in OTHERS]))
    write("sys.txt", text(HYPOTHESES))


@pytest.mark.parametrize("name", ["ter", "nist"])
def test_tables_with_systems(cli: Cli, write: Write, name: str) -> None:
    systems = {"A": HYPOTHESES[:25], "B": HYPOTHESES[25:]}
    # A segment of B has a second reference.
    lines = [f"{r}\t\t{h}\tA" for h, r in zip(systems["A"], REFERENCES[:25], strict=True)]
    lines += [
        f"{r}\t{'a b' * (not k)}\t{h}\tB" for k, (h, r) in enumerate(zip(systems["B"], OTHERS, strict=False))
    ]
    write("table.tsv", text(["reference\treference_2\thypothesis\tsystem", *lines]))
    document = cli("score", "--table", "table.tsv", "--metric", name, "-f", "json").document
    # NIST counts over the references of both systems.
    metric = get_metric(name).counted_over([*REFERENCES[:25], *OTHERS[:25], "a b"])
    first = metric.corpus_score(systems["A"], [REFERENCES[:25]])
    second = metric.corpus_score(systems["B"], [OTHERS[:25], ["a b", *[None] * 24]])
    assert document["systems"] == pytest.approx({"A": float(first), "B": float(second)}, rel=1e-13)
    assert document["signature"] == get_metric(name).get_signature("var", "corpus")
    printed = cli("score", "--table", "table.tsv", "--metric", name, "-f", "tsv").lines
    assert [float(line.split("\t")[1]) for line in printed[1:]] == [
        document["score"],
        *document["systems"].values(),
    ]
