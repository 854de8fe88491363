"""NIST and SP-NIST: NLTK's numbers, those of a slow twin, counts that are given, and where they are kept."""

from collections.abc import Sequence

import numpy as np
import pytest
from nltk.translate.nist_score import corpus_nist, sentence_nist

from pfsm import PfsmError
from pfsm.features.values import feature_values
from pfsm.metrics import get_metric
from pfsm.metrics.ngram_table import (
    NgramTable,
    documents_of,
    remember,
    remember_documents,
    table_from_document,
)
from pfsm.metrics.registry import metric_with_tables
from tests.judgment_cases import rows
from tests.oracles.nist import Information, score, totals

PAIRS = [(hypothesis.lower(), reference.lower()) for reference, hypothesis, _ in rows(60)]
HYPOTHESES = [hypothesis for hypothesis, _ in PAIRS] + ["", "the", "x y z w v u", "the red bird sings ."]
REFERENCES = [reference for _, reference in PAIRS] + ["the tree", "", "the tree", "the red bird sings ."]
OTHERS = [reference for reference, *_ in rows(40, 7)] + ["the old bird"]


def tokens(lines: Sequence[str]) -> list[list[str]]:
    return [line.split() for line in lines]


def by_definition(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], counted: Sequence[Sequence[str]]
) -> list[float]:
    information = Information(counted)
    return [
        score([totals(ours, [theirs], information)])
        for ours, theirs in zip(hypotheses, references, strict=True)
    ]


def distinct(lines: Sequence[str]) -> list[list[str]]:
    return tokens(list(dict.fromkeys(lines)))


def table_of(lines: Sequence[str]) -> NgramTable:
    (table,) = get_metric("nist").counted_over(lines).tables.values()
    return table


class TestScores:
    def test_a_pair_alone_is_nltks(self) -> None:
        long = [pair for pair in PAIRS if min(len(line.split()) for line in pair) >= 5]
        assert len(long) > 20
        for hypothesis, reference in long:
            (found,) = get_metric("nist").score_pairs([hypothesis], [reference])
            assert found == pytest.approx(sentence_nist([reference.split()], hypothesis.split()), rel=1e-12)

    def test_a_corpus_is_nltks_and_its_segments_have_its_information(self) -> None:
        pairs = list(dict.fromkeys(PAIRS))
        ours, theirs = [h for h, _ in pairs], [r for _, r in pairs]
        assert len(set(theirs)) == len(theirs)
        wanted = corpus_nist([[line] for line in tokens(theirs)], tokens(ours))
        assert float(get_metric("nist").corpus_score(ours, [theirs])) == pytest.approx(wanted, rel=1e-12)
        # One order, no penalty: the corpus is the mean of its segments, weighted by their words.
        single = feature_values(["nist.1"], ours, theirs)[:, 0]
        words = [len(line) for line in tokens(ours)]
        pooled = get_metric("nist").segment_statistics(ours, [theirs])[:, 0].sum()
        assert float(single @ words) == pytest.approx(pooled, rel=1e-12)

    def test_all_references_of_all_segments_are_counted(self) -> None:
        ours, streams = HYPOTHESES[:41], [REFERENCES[:41], OTHERS]
        information = Information(distinct([*REFERENCES[:41], *OTHERS]))
        scores = [
            max(score([totals(h.split(), [stream[k].split()], information)]) for stream in streams)
            for k, h in enumerate(ours)
        ]
        metric = get_metric("nist")
        np.testing.assert_allclose(metric.segment_scores(ours, streams), scores, rtol=1e-12)
        some: list[list[str | None]] = [list(REFERENCES[:41]), [*OTHERS[:-1], None]]
        assert metric.segment_scores(ours, some)[0] != scores[0]
        corpus = score(
            [
                totals(h.split(), tokens([stream[k] for stream in streams]), information)
                for k, h in enumerate(ours)
            ]
        )
        assert float(metric.corpus_score(ours, streams)) == pytest.approx(corpus, rel=1e-12)


class TestGivenCounts:
    def test_what_is_unknown_counts_once(self) -> None:
        metric = get_metric("nist").counted_over(OTHERS)
        wanted = by_definition(tokens(HYPOTHESES), tokens(REFERENCES), distinct(OTHERS))
        np.testing.assert_allclose(metric.score_pairs(HYPOTHESES, REFERENCES), wanted, rtol=1e-12)
        assert metric.is_independent
        assert metric.is_additive
        assert metric.counted_over(REFERENCES) is metric
        alone = [metric.score_pairs([h], [r])[0] for h, r in zip(HYPOTHESES, REFERENCES, strict=True)]
        np.testing.assert_array_equal(alone, metric.score_pairs(HYPOTHESES, REFERENCES))

    def test_scores_depend_on_the_call_unless_counts_are_given(self) -> None:
        metric = get_metric("nist")
        assert not metric.is_independent
        assert not metric.is_additive
        with pytest.raises(
            PfsmError, match="nist: the information of n-grams is counted over all references"
        ):
            metric.check_independent()
        assert "|info:set|" in metric.signature
        given = metric.counted_over(REFERENCES)
        label = table_of(REFERENCES).label
        assert f"|info:{label}|" in given.signature
        assert given.origin == f"nist(info={label})"

    @pytest.mark.parametrize("name", ["nist(tokeniser=penn)", "sp-nist-p_b(scale=2)"])
    def test_another_process_gets_the_counts_too(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        metric = get_metric(name).counted_over(OTHERS)
        recipe = metric.recipe()
        assert recipe.maker.endswith(":metric_with_tables")
        monkeypatch.setattr("pfsm.metrics.ngram_table._known", {})
        again = metric_with_tables(recipe.text)
        assert again.signature == metric.signature
        assert again.is_independent
        ours, theirs = HYPOTHESES[:5], REFERENCES[:5]
        np.testing.assert_array_equal(again.score_pairs(ours, theirs), metric.score_pairs(ours, theirs))

    def test_unknown_counts(self) -> None:
        with pytest.raises(
            PfsmError, match="metric nist: there are no counts refs@00000000; they are stored in"
        ):
            get_metric("nist(info=refs@00000000)")
        with pytest.raises(PfsmError, match="metric sp-nist-l: info is 'x', it must be set, or refs@"):
            get_metric("sp-nist-l(info=x)")


class TestTables:
    def test_counts_by_hand(self) -> None:
        table = table_of(["a b a b a", "a b c", "a b c"])
        # Eight words; a 4, b 3, ab 3, ba 2, aba 2; what occurs once is left out.
        assert table.document == {"words": 8, "counts": {"a": 4, "b": 3, "a b": 3, "b a": 2, "a b a": 2}}

    @pytest.mark.parametrize(
        ("value", "fault"),
        [
            ([], "a table of n-grams has the keys words and counts"),
            ({"words": 1.5, "counts": {}}, "words must be a whole number"),
            ({"words": 9, "counts": {"a": 10}}, "counts has 'a': 10"),
            ({"words": 9, "counts": {"a  b": 2}}, "counts has 'a  b': 2"),
            ({"words": 9, "counts": {"a": 2, "b": 2, "a b a": 2}}, "counts has 'a b a', but not all"),
        ],
    )
    def test_what_is_no_table(self, value: object, fault: str) -> None:
        with pytest.raises(PfsmError, match=f"here: {fault}"):
            table_from_document(value, "here")

    def test_changed_by_hand(self) -> None:
        table = table_of(["a a", "b b c"])
        document = {"words": 5, "counts": {"a": 3, "b": 2}}
        with pytest.raises(PfsmError, match=f"m.json: {table.label} has the content of refs@"):
            remember_documents({table.label: document}, "m.json")
        assert documents_of([f"nist(info={remember(table)})"]) == {table.label: table.document}
        with pytest.raises(PfsmError, match="there are no counts refs@00000000"):
            documents_of(["nist(info=refs@00000000)"])
