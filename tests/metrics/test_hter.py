"""HTER: TER of a translation against its own post-edit (Snover et al. 2006), by hand and against published numbers."""

import os

import pytest

from pfsm.data import read_table
from pfsm.metrics import get_metric

REAL = os.environ.get("PFSM_DATA", "")

# Translation, post-edit, and how many edits turn the one into the other.
EDITED = [
    ("he reads a old book", "he reads an old book", 1),  # a word changed
    ("he reads old book", "he reads an old book", 1),  # a word put in
    ("he he reads an old book", "he reads an old book", 1),  # a word left out
    ("an old book he reads", "he reads an old book", 1),  # a phrase moved
    ("reads he a old red book", "he reads an old book", 3),  # all of them
    ("he reads an old book", "he reads an old book", 0),
]


def test_a_corpus_is_all_edits_over_all_words_of_the_post_edits() -> None:
    translations, post_edits, edits = zip(*EDITED, strict=True)
    score = get_metric("ter").corpus_score(list(translations), [list(post_edits)])
    assert float(score) == pytest.approx(100.0 * sum(edits) / sum(len(line.split()) for line in post_edits))


@pytest.mark.skipif(not REAL, reason="PFSM_DATA is not set")
@pytest.mark.parametrize("pair", ["et-en", "en-de"])
def test_published_numbers(pair: str) -> None:
    """Those of MLQE-PE, against the post-edits that the data sets have as references; given to six digits."""
    table = read_table(f"{REAL}/mlqe-pe/{pair}-dev.tsv.gz").columns
    published = [float(field) for field in table["hter"][:200]]
    ours = -get_metric("ter").score_pairs(table["hypothesis"][:200], table["reference"][:200]) / 100.0
    assert ours == pytest.approx(published, abs=1e-6)
