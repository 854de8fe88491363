"""What translations keep: counts of differences, by hand."""

import pytest

from pfsm.metrics.kept.differences import KEPT, differences


@pytest.mark.parametrize(
    ("hypothesis", "reference", "counts"),
    [
        ("We we saw it", "We saw it", (1, 0, 0, 0, 0)),
        ("It was long long ago", "It was long long ago", (0, 0, 0, 0, 0)),
        ("we saw Anna", "We saw Anna", (0, 1, 0, 0, 0)),
        ("WE SAW ANNA", "We saw Anna", (0, 3, 0, 0, 0)),
        ("1,500 people", "1500 people", (0, 0, 0, 0, 0)),
        ("1,500 people", "1600 people", (0, 0, 2, 2, 0)),
        ("two dogs", "2 dogs", (0, 0, 1, 0, 0)),
        ("It is late", "It isn’t late", (0, 0, 0, 0, 1)),
        ("It is not late", "It isn't late", (0, 0, 0, 0, 0)),
        ("", "", (0, 0, 0, 0, 0)),
    ],
)
def test_counts(hypothesis: str, reference: str, counts: tuple[int, ...]) -> None:
    found = differences([hypothesis], [reference])
    assert found.shape == (1, len(KEPT))
    assert (-found[0]).tolist() == list(counts)


def test_no_pairs() -> None:
    assert differences([], []).shape == (0, len(KEPT))
