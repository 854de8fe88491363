"""Against what was published: rankings of 2012 and 2013, direct assessments of 2021, all tables."""

import os
from collections import Counter
from pathlib import Path

import pytest

from pfsm.data.formats import Preference
from pfsm.data.formats.ranking import unroll
from tests.data.formats.judged_sets import lines
from tests.data.formats.reading import judgments, preferences

REAL = os.environ.get("PFSM_DATA", "")
pytestmark = pytest.mark.skipif(not REAL, reason="PFSM_DATA is not set")

SAMPLE_OF_2013 = {
    556: "KIT_primary.2658:2 uedin-heafield-unconstrained.2755:2 DCU__primary.2828:3 "
    "MES-SimplifiedFrench-primary.2662:2 LIMSI-Ncode-SOUL-primary.2585:1",
    766: "uedin-wmt13.2838:2 CMU_Tree-to-Tree.2893:2 RWTH_primary.2595:1 DCU__primary.2828:1 "
    "uedin-heafield-unconstrained.2755:2",
    2187: "KIT_primary.2658:2 RWTH_primary.2595:1 Shef-wproa.2780:4 online-B:2 uedin-wmt13.2838:3",
    1734: "cu-zeman.2738:5 DCU__primary.2828:5 LIMSI-Ncode-SOUL-primary.2585:5 online-B:4 JHU.2684:5",
}
"""Published rankings, French-English: by segment five systems and their ranks."""

SAMPLE_OF_2021 = """\
984 53.6666666666667 -0.591803831421895 3
985 61.6666666666667 0.107183516599889 3
233 98 0.778519400136496 1
798 0 -5.73393500437597 1
656 100 1.73565739043493 1
323 100 0.389023154283932 1
325 99 0.349449270039918 1
87 57 -0.412202704390872 4
272 99.5 0.536206215678009 2
9 75 -1.18230452992418 1
"""
"""Published direct assessments of Manifold.0, Icelandic-English: SID, raw, z, number of raters."""


def number_of(segment_id: str) -> int:
    """The segment, from 1."""
    return int(segment_id.rpartition(".")[2])


def test_rankings_of_2013_are_among_the_pairs() -> None:
    votes: Counter[tuple[int, str, str]] = Counter()
    for each in preferences(f"{REAL}/wmt13-rr/fr-en-test.tsv.gz"):
        assert isinstance(each, Preference)
        votes[number_of(each.segment_id), each.better_system, each.worse_system] += int(each.votes)
    found = 0
    for segment, ranking in SAMPLE_OF_2013.items():
        ranks = [each.rpartition(":") for each in ranking.split()]
        for pair in unroll([(system, int(rank)) for system, _, rank in ranks]):
            found += not pair.tie
            assert pair.tie or votes[segment, pair.better, pair.worse] > 0
    assert found == 7 + 6 + 9 + 4


def test_sid_counts_by_document_in_2021(tmp_path: Path) -> None:
    """Scores as published meet the segments that others have found them to belong to."""
    known = {
        number_of(each.segment_id): each
        for each in judgments(f"{REAL}/wmt21-da/is-en-test.tsv.gz")
        if each.system == "Manifold"
    }
    everything = {
        number_of(each.segment_id): each for each in judgments(f"{REAL}/wmt21-da/is-en-test.tsv.gz")
    }
    in_order = [everything[number] for number in range(1, 1001)]
    output = [known[number].hypothesis if number in known else "" for number in range(1, 1001)]
    published = ["SYS SID RAW.SCR Z.SCR N ", *(f"Manifold.0 {line} " for line in SAMPLE_OF_2021.splitlines())]
    found = judgments(
        lines(tmp_path / "newstest2021-toen/ad-seg-scores-is-en.csv", published),
        references=(lines(tmp_path / "ref", [each.references[0] for each in in_order]),),
        documents=lines(tmp_path / "docs", [each.document for each in in_order]),
        system_outputs=(f"Manifold={lines(tmp_path / 'out', output)}",),
        sid_order="document",
    )
    assert len(found) == 10
    for each in found:
        there = known[number_of(each.segment_id)]
        assert (each.references[0], each.document) == (there.references[0], there.document)
        assert each.score == pytest.approx(there.score, abs=1e-5)
        assert float(each.further["da_z"]) == pytest.approx(float(there.further["da_z"]), abs=1e-5)
        assert each.further["n_raters"] == there.further["n_raters"]
