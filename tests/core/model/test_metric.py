"""The metric in Python: scores against every edit sequence written out, references, signatures, invariances."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import pfsm
from pfsm.model import builder as builder_module
from pfsm.model.metric import Metric
from pfsm.version import __version__
from tests.judgment_cases import WORDS, rows
from tests.model_cases import model, random_weights
from tests.oracles import matching
from tests.oracles.enumeration import Arc, EditLattice, enumerate_all


def metric(threads: int | None = 1, **changes: Any) -> Metric:
    return Metric(model(**changes), threads)


def sentences(rng: np.random.Generator, count: int, longest: int = 5) -> list[list[str]]:
    """Short, so that the edit sequences of a pair can be counted out; few words, so that they agree."""
    words = ("walk", "walks", "Walk", "cat", ",", ".", "7")
    return [[words[at] for at in rng.integers(0, len(words), rng.integers(0, longest))] for _ in range(count)]


def enumerated(
    reference: Sequence[str], hypothesis: Sequence[str], settings: dict[str, Any], weights: dict[str, float]
) -> float:
    """y / (m + n) from a lattice built and walked by brute force."""
    names = settings.get("matchers", ["punct", "word", "lemma"])
    arcs = matching.arcs(
        reference,
        hypothesis,
        names,
        dict.fromkeys(names, settings.get("max_block", 1)),
        exclusive=settings.get("matching", "exclusive") == "exclusive",
        lowercase=settings.get("lowercase", True),
    )
    lattice = EditLattice(
        ("Delete",) * len(reference), ("Insert",) * len(hypothesis), tuple(Arc(*arc) for arc in arcs)
    )
    return enumerate_all(lattice, weights).log_sum / max(1, lattice.m + lattice.n)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"max_block": 2, "matching": "overlapping"},
        {"matching": "overlapping", "matchers": ["lemma", "word", "punct"]},
        {"lowercase": False, "matchers": ["lemma", "word"]},
    ],
)
def test_scores_are_sums_over_all_edit_sequences(settings: dict[str, Any]) -> None:
    rng = np.random.default_rng(11)
    for spread in (1.0, 8.0):
        weights = random_weights(rng, spread)
        references, hypotheses = sentences(rng, 12), sentences(rng, 12)
        alpha = float(rng.normal())
        scores = metric(settings=settings, weights=weights, alpha=alpha).score_pairs(
            [" ".join(hypothesis) for hypothesis in hypotheses],
            [" ".join(reference) for reference in references],
        )
        expected = [
            enumerated(reference, hypothesis, settings, weights) + alpha
            for reference, hypothesis in zip(references, hypotheses, strict=True)
        ]
        np.testing.assert_allclose(scores, expected, rtol=0.0, atol=1e-12)


PAIRS = rows(60, seed=3)
REFERENCES = [reference for reference, _, _ in PAIRS]
HYPOTHESES = [hypothesis for _, hypothesis, _ in PAIRS]


class TestInvariance:
    """What may not change a score, not even in its last digit."""

    def scores(self, threads: int | None = 1) -> list[float]:
        return [float(score) for score in metric(threads).score_pairs(HYPOTHESES, REFERENCES)]

    def test_threads_order_company_spaces_and_history(self, monkeypatch: pytest.MonkeyPatch) -> None:
        expected = self.scores(1)
        assert expected == self.scores(2) == self.scores(7) == self.scores(None)
        one = metric()
        one.score_pairs(WORDS, WORDS[::-1])
        one.sentence_score("x", ["y", "z"])
        pairs = zip(HYPOTHESES, REFERENCES, strict=True)
        assert [float(one.score_pairs([h], [r])[0]) for h, r in pairs] == expected
        assert one.score_pairs(HYPOTHESES[::-1], REFERENCES[::-1])[::-1].tolist() == expected
        spaced = [f"  {hypothesis.replace(' ', '   ')} " for hypothesis in HYPOTHESES]
        assert one.score_pairs(spaced, REFERENCES).tolist() == expected
        monkeypatch.setattr(builder_module, "PAIRS_PER_BATCH", 7)
        monkeypatch.setattr(builder_module, "CELLS_PER_BATCH", 100)
        assert self.scores(2) == expected


def test_the_best_reference_counts() -> None:
    one = metric()
    right_and_wrong = list(zip(REFERENCES, REFERENCES[1:] + REFERENCES[:1], strict=True))
    streams = [[pair[(at + stream) % 2] for at, pair in enumerate(right_and_wrong)] for stream in (0, 1)]
    each = [one.score_pairs(HYPOTHESES, stream) for stream in streams]
    best = [max(values) for values in zip(*each, strict=True)]
    assert one.segment_scores(HYPOTHESES, streams).tolist() == best
    assert {int(np.argmax(values)) for values in np.array(each).T} == {0, 1}
    corpus = one.corpus_score(HYPOTHESES, streams)
    assert corpus.segment_scores.tolist() == best
    assert float(corpus) == corpus.score == pytest.approx(math.fsum(best) / len(best), abs=1e-13)


class TestSignature:
    def test_every_entry(self) -> None:
        one = metric(settings={"language": "en", "max_block": {"word": 2}})
        assert one.get_signature(1) == (
            f"nrefs:1|model:hand|weights:{one.model.fingerprint}|lang:en|tok:penn|stem:porter|case:lc|"
            f"match:punct+word+lemma|offer:exclusive|block:1-2-1|jump:0|version:{__version__}"
        )

    def test_it_remembers_the_last_call(self) -> None:
        one = metric()
        one.corpus_score(["a"], [["a"], ["b"]])
        assert one.get_signature().startswith("nrefs:2|refs:best|")
        one.score_pairs(["a"], ["a"])
        assert one.get_signature().startswith("nrefs:1|model:")
        one.sentence_score("a", ["a", "b", "c"])
        assert one.get_signature().startswith("nrefs:3|")
        assert one.get_signature(5).startswith("nrefs:5|")


def test_a_string_in_place_of_a_list() -> None:
    for call in (
        lambda: metric().score_pairs("ab", ["a", "b"]),
        lambda: metric().score_pairs(["a", "b"], "ab"),
        lambda: metric().corpus_score(["a", "b"], ["ab"]),
        lambda: metric().corpus_score("ab", [["a", "b"]]),
        lambda: metric().sentence_score("a", "a"),
        lambda: metric().corpus_score(["a"], "a"),
    ):
        with pytest.raises(ValueError, match="must be a list"):
            call()


@pytest.mark.filterwarnings("ignore:.*in a script without them:pfsm.errors.PfsmWarning")
def test_control_characters_and_other_scripts_score_finitely() -> None:
    odd = ["a\0b \x07", "\u2028\x85\x1c", "\u202eabc", "日本語。", "ﬁ Ⅷ ½ ", "🙂🙂", "a" * 99_999]
    scores = metric().score_pairs(odd, odd[::-1])
    assert np.isfinite(scores).all()
    assert np.isfinite(metric(settings={"language": "ja"}).score_pairs(odd, odd)).all()


@pytest.mark.parametrize("name", ["en", "en-small"])
def test_anchors(name: str) -> None:
    shipped = pfsm.load(name)
    reference = "The ferry to the island leaves at seven, and the last one comes back before midnight."
    same, empty, unrelated, worse = shipped.score_pairs(
        [reference, "", "Quarrelsome geese rarely yodel", reference.replace("seven", "eight")],
        [reference] * 4,
    )
    assert empty < 40
    assert unrelated < 40
    assert same == 100.0
    assert 60 < worse < same
