"""Counts and checks of judgments, by hand and by brute force; names of submissions."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.data import summary as tally
from pfsm.data.formats import Judgment, Reading, read_format
from pfsm.data.formats.records import layout
from pfsm.data.submission import Submission
from pfsm.data.summary import Finding, Shared, Summary, shared, summarise
from pfsm.errors import PfsmError


def summary_of(folder: Path, content: str, name: str = "x.tsv") -> Summary:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return summarise(read_format([path]))


JUDGED = """\
test_set\tsource_lang\ttarget_lang\tdocument\tsegment_id\tsystem\trater\treference\treference_2\tsource\thypothesis\tscore
t\tcs\ten\td\t1\tA\tr1\tone\tuno\tjedna\tone\t1
t\tcs\ten\td\t1\tB\tr1\tone\tuno\tjedna\t \uff11 \t2
t\tcs\ten\td\t1\tA\tr2\tone\tuno\tjedna\tone\t3
t\tcs\ten\td\t1\tA\tr1\tone\tuno\tjedna\tone\t4
t\tcs\ten\te\t2\tA\tr1\ttwo\t\t\t\t5
t\tde\ten\te\t2\tA\tr1\ttwo\t\tzwei\tTWO\t5
t\tde\ten\te\t2\tA\tr1\ttwo\t\tzwei\tTWO\t5
u\tde\ten\te\t2\tA\tr1\t\t\tzwei\t  uno\t7
"""


def test_judgments_by_hand(tmp_path: Path) -> None:
    found = summary_of(tmp_path, JUDGED)
    assert (found.preferences, found.rows, found.segments, found.documents) == (False, 8, 4, 4)
    assert found.language_pairs == {"cs-en": 5, "de-en": 3}
    assert found.test_sets == {"t": 7, "u": 1}
    assert found.systems == {"A": 7, "B": 1}
    assert found.raters == {"r1": 7, "r2": 1}
    assert found.references == {0: 1, 1: 3, 2: 4}
    assert found.findings == {
        tally.EMPTY_REFERENCE: Finding(1, 9),
        tally.EMPTY_TRANSLATION: Finding(1, 6),
        tally.EMPTY_SOURCE: Finding(1, 6),
        tally.EQUAL_TO_REFERENCE: Finding(3, 2),
        tally.SAME_ROW: Finding(1, 8),
        tally.JUDGED_AGAIN: Finding(2, 5),
        tally.OTHER_SCORE: Finding(1, 5),
    }
    assert found.scores is not None
    assert (found.scores.mean, found.scores.quantiles[2]) == (4.0, 4.5)
    assert len(found.fingerprints.references) == 3
    assert len(found.fingerprints.sources) == 2


PREFERRED = """\
segment_id\treference\tbetter\tworse\tbetter_system\tworse_system\tvotes
1\tr\ta\tb\tA\tB\t2
1\tr\tb\ta\tB\tA\t1
1\tr\ta\tc\tA\tC\t0
2\tr\ta\ta\tA\tB\t1
2\tr\t\ta\tA\tC\t0.5
2\tr\t\ta\tA\tC\t0.5
"""


def test_preferences_by_hand(tmp_path: Path) -> None:
    found = summary_of(tmp_path, PREFERRED)
    assert (found.preferences, found.rows, found.segments, found.votes) == (True, 6, 2, 5.0)
    assert found.systems == {"A": 6, "B": 3, "C": 3}
    assert found.findings == {
        tally.EMPTY_REFERENCE: Finding(0, None),
        tally.EMPTY_TRANSLATION: Finding(2, 6),
        tally.EQUAL_TO_REFERENCE: Finding(0, None),
        tally.SAME_ROW: Finding(1, 7),
        tally.JUDGED_AGAIN: Finding(1, 7),
        tally.EQUAL_PAIR: Finding(1, 5),
        tally.CONTRADICTED: Finding(1, 3),
    }


def test_overlap(tmp_path: Path) -> None:
    one = summary_of(tmp_path, "segment_id\treference\thypothesis\tscore\n1\tr  x\th\t1\n2\ts\th\t2\n")
    two = summary_of(
        tmp_path, "segment_id\treference\thypothesis\tscore\n1\tr x\tg\t1\n1\tq\th\t1\n3\ts\t h\t3\n"
    )
    assert shared(one.fingerprints, two.fingerprints) == {
        "references": Shared(2, 2, 3),
        "sources": Shared(0, 0, 0),
        "translations": Shared(1, 2, 3),
        "segments": Shared(1, 2, 2),
    }


WORDS = st.sampled_from(["", "a", "b", "a b", "c"])


@given(
    st.lists(st.tuples(WORDS, WORDS, st.sampled_from([0.0, 1.0]), st.sampled_from(["A", "B"])), min_size=1)
)
def test_against_brute_force(rows: list[tuple[str, str, float, str]]) -> None:
    records = [
        Judgment(references=(ref,), hypothesis=text, score=score, system=system, segment_id="s", line=at)
        for at, (ref, text, score, system) in enumerate(rows)
    ]
    found = summarise(Reading(Judgment, layout(Judgment, ["system", "segment_id"]), iter(records)))
    assert found.findings[tally.SAME_ROW].rows == len(rows) - len(set(rows))
    systems = Counter(row[3] for row in rows)
    assert found.findings[tally.JUDGED_AGAIN].rows == len(rows) - len(systems)
    assert found.systems == dict(sorted(systems.items()))
    assert found.findings[tally.EQUAL_TO_REFERENCE].rows == sum(row[0] == row[1] != "" for row in rows)
    assert found.findings[tally.EMPTY_REFERENCE].rows == sum(not row[0] for row in rows)
    assert len(found.fingerprints.references) == len({row[0] for row in rows} - {""})
    assert len(found.fingerprints.translations) == len({row[:2] for row in rows})
    firsts: dict[tuple[str, str], float] = {}
    others = sum(firsts.setdefault(row[:2], row[2]) != row[2] for row in rows)
    assert found.findings[tally.OTHER_SCORE].rows == others


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"metric": "our metric"}, "metric name is 'our metric'"),
        ({"language_pair": "ende"}, "language pair is 'ende'"),
        ({"domains": ["news", "two words", "news"]}, "domain is 'two words'"),
        ({"systems": ["a b"]}, "system is 'a b'"),
    ],
)
def test_names_that_the_files_cannot_hold(changes: dict[str, object], message: str) -> None:
    names = {"metric": "m", "language_pair": "en-de", "test_set": "t", "references": ["A"], "systems": ["s"]}
    with pytest.raises(PfsmError, match=message):
        Submission(**names | changes)  # type: ignore[arg-type]
