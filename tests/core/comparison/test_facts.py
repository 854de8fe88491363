"""What else is known of segments: columns of a table, and what is refused."""

import numpy as np
import pytest

from pfsm.comparison import SegmentFacts, compare_outputs, read_facts
from pfsm.errors import PfsmError
from pfsm.metrics import get_metric
from tests.command_runs import Write

NAMED = ("out/a.txt", "b.txt")


def test_columns_are_found_and_empty_fields_were_not_judged(write: Write, tmp_path: object) -> None:
    write("f.tsv", "source\tdocument\tnote\thuman:a\thuman:b.txt\nein\td1\tx\t1.5\t\nzwei\td2\ty\t\t-2\n")
    found = read_facts(f"{tmp_path}/f.tsv", NAMED, 2)
    assert found.source == ("ein", "zwei")
    assert found.groups == {"document": ("d1", "d2")}
    np.testing.assert_array_equal(found.human["out/a.txt"], [1.5, np.nan])
    np.testing.assert_array_equal(found.human["b.txt"], [np.nan, -2.0])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("document\nd1\n", "f.tsv: 1 row, but there are 2 segments; row i must be segment i"),
        ("note\tmore\nx\ty\nx\ty\n", "f.tsv: no column of use; the columns are 'note', 'more'; known are "),
        (
            "document\thuman:c.txt\nd\t1\nd\t1\n",
            "human:c.txt names no system; the systems are out/a.txt, b.txt",
        ),
        (
            "human:a.txt\tdocument\n1\td\nfine\td\n",
            "f.tsv:3: human:a.txt is 'fine', a finite number or an empty",
        ),
    ],
)
def test_what_cannot_be_is_refused(write: Write, tmp_path: object, content: str, message: str) -> None:
    write("f.tsv", content)
    with pytest.raises(PfsmError) as refused:
        read_facts(f"{tmp_path}/f.tsv", NAMED, 2)
    assert message in str(refused.value)


def test_facts_of_other_segments_or_systems() -> None:
    outputs, references = {"a": ["x", "y"], "b": ["x", "z"]}, [["x", "y"]]
    for wrong in (
        SegmentFacts(groups={"document": ["d"]}),
        SegmentFacts(human={"c": np.zeros(2)}),
        SegmentFacts(source=["x", "y", "z"]),
    ):
        with pytest.raises(ValueError, match=r"facts of|not a system"):
            compare_outputs(outputs, references, [get_metric("wer")], facts=wrong)
