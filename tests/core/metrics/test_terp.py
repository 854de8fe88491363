"""TERp: sacrebleu's TER where it has TER's costs, cases by hand, the least cost by trying everything."""

from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from numpy.typing import NDArray

from pfsm.metrics import get_metric
from pfsm.metrics.terp import KINDS, PARTS, TerpMetric, cost_vector

TER = "terp-base(costs=ter,tokeniser=ter,edits=none)"
# Of tercom and sacrebleu (_MAX_SHIFT_DIST): a block is moved so many words at most.
FARTHEST = 50


def sacrebleus(hypotheses: list[str], references: list[str]) -> list[float]:
    metric = sacrebleu.TER()
    pairs = zip(hypotheses, references, strict=True)
    return [-metric.sentence_score(hypothesis, [reference]).score + 0.0 for hypothesis, reference in pairs]


def made_up(seed: int, count: int, longest: int) -> tuple[list[str], list[str]]:
    """Pairs over few words, the hypothesis mostly the reference with blocks moved, words lost and others put in."""
    random = np.random.default_rng(seed)
    hypotheses, references = [], []
    for _ in range(count):
        reference = random.integers(0, 12, random.integers(0, longest)).tolist()
        cuts = sorted(random.integers(0, len(reference) + 1, 4).tolist())
        blocks = [reference[a:b] for a, b in pairwise([0, *cuts, len(reference)])]
        words = [
            word for k in random.permutation(len(blocks)) for word in blocks[k] if random.random() > 0.15
        ]
        words += random.integers(0, 15, random.integers(0, 4)).tolist()
        hypotheses.append(" ".join(f"w{word}" for word in words))
        references.append(" ".join(f"w{word}" for word in reference))
    return hypotheses, references


class TestWithTersCosts:
    @pytest.mark.parametrize(("seed", "count", "longest"), [(1, 80, 12), (2, 8, 40)])
    def test_invented_pairs_and_odd_lengths(self, seed: int, count: int, longest: int) -> None:
        hypotheses, references = made_up(seed, count, longest)
        hypotheses += ["", "a", "", "a b " * 40, "a", "a " * 60 + "b", "c a b"]
        references += ["", "", "a", "b a", "b a c " * 30, "b " + "a " * 60, "A b C"]
        scores = get_metric(TER).score_pairs(hypotheses, references)
        assert scores.tolist() == sacrebleus(hypotheses, references)
        shifts = get_metric(TER)
        assert isinstance(shifts, TerpMetric)
        assert shifts.parts(hypotheses, references)[:, 1 + PARTS.index("shift")].sum() > 0

    @pytest.mark.parametrize("distance", [FARTHEST - 1, FARTHEST, FARTHEST + 1])
    def test_the_farthest_shift(self, distance: int) -> None:
        """A word at the other end: one shift as far as it may go, else an insertion and a deletion."""
        words = [f"w{k}" for k in range(distance)]
        pairs = [(["x", *words], [*words, "x"]), ([*words, "x"], ["x", *words])]
        for hypothesis, reference in pairs:
            lines = [" ".join(hypothesis)], [" ".join(reference)]
            (score,) = get_metric(TER).score_pairs(*lines)
            assert [score] == sacrebleus(*lines)
            assert score == pytest.approx(-100 * (1 if distance <= FARTHEST else 2) / (distance + 1))


def edits(hypothesis: str, reference: str, **options: object) -> dict[str, float]:
    """Edits that are there, in whole numbers."""
    metric = TerpMetric("terp-base", {"costs": "ter", **options})
    matches = metric.find([hypothesis], [reference])
    counts = matches.count(cost_vector(metric.costs))[0]
    return {kind: count for kind, count in zip(KINDS, counts.tolist(), strict=True) if count}


class TestByHand:
    def test_stem(self) -> None:
        assert edits("the cats sleep", "the cat sleeps") == {"match": 1, "stem": 2}
        assert edits("the cats sleep", "the cat sleeps", edits="synonym+paraphrase")["match"] == 1
        score = get_metric("terp-base", stem=0.25, synonym=1).score_pairs(
            ["the cats sleep"], ["the cat sleeps"]
        )
        assert score[0] == pytest.approx(-100 * 2 * 0.25 / 3)

    def test_synonym(self) -> None:
        assert edits("the car stopped", "the automobile stopped") == {"match": 2, "synonym": 1}
        # Dearer than a substitution, it is one.
        assert edits("the car stopped", "the automobile stopped", synonym=1.5) == {
            "match": 2,
            "substitution": 1,
        }

    def test_shift_of_what_only_has_the_same_stem(self) -> None:
        moved = edits("today the cats sleep", "the cat sleep today")
        assert moved == {"match": 3, "stem": 1, "shift": 1}
        without = edits("today the cats sleep", "the cat sleep today", shift=10.0)
        assert without == {"match": 2, "stem": 1, "insertion": 1, "deletion": 1}


class TestParaphrases:
    @pytest.fixture
    def table(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
        from pfsm.lexicons.compiling import compile_paraphrases
        from pfsm.lexicons.container import write_lexicon

        pairs: dict[tuple[tuple[str, ...], tuple[str, ...]], float] = {
            (("very", "big"), ("huge",)): 0.1,
            (("by", "the", "way"), ("besides",)): 1.0,
        }
        path = tmp_path / "toy.lexicon"
        write_lexicon(compile_paraphrases("toy", pairs, "none", ()), path)
        monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path))
        return "toy"

    def test_in_both_directions(self, table: str) -> None:
        wanted = {"match": 2, "paraphrase": 1, "paraphrase_edits": 2}
        for pair in (("a huge dog", "a very big dog"), ("a very big dog", "a huge dog")):
            found = edits(*pair, paraphrases=table)
            assert found["paraphrase_log"] == pytest.approx(2 * np.log10(0.1))
            assert found["paraphrase_probability"] == pytest.approx(0.2)
            assert {kind: found[kind] for kind in wanted} == wanted

    def test_what_it_costs(self, table: str) -> None:
        costs = {
            "paraphrase": 0.5,
            "paraphrase_log": -0.1,
            "paraphrase_probability": 0.25,
            "paraphrase_edits": 0.05,
        }
        score = get_metric("terp-base", paraphrases=table, **costs).score_pairs(
            ["a huge dog"], ["a very big dog"]
        )
        assert score[0] == pytest.approx(-100 * (0.5 + 2 * (0.1 + 0.025 + 0.05)) / 4)

    def test_it_moves_as_far_as_a_word_may(self, table: str) -> None:
        for distance in (FARTHEST, FARTHEST + 1):
            words = " ".join(f"w{k}" for k in range(distance))
            found = edits(f"besides {words}", f"{words} by the way", paraphrases=table)
            assert found.get("shift", 0) == (distance == FARTHEST)
            assert found.get("paraphrase", 0) == (distance == FARTHEST)


Links = dict[tuple[int, int], int]
Phrases = dict[tuple[int, int, int, int], float]


def least_cost(ref: list[int], hyp: list[int], links: Links, phrases: Phrases, costs: list[float]) -> float:
    """The least cost without shifts, by trying every edit at every place."""

    def joins(j: int, i: int) -> list[float]:
        if ref[j] == hyp[i]:
            return [costs[0]]
        how = links.get((j, i), 0)
        return [costs[3], *([costs[6]] if how & 1 else []), *([costs[5]] if how & 2 else [])]

    @cache
    def rest(j: int, i: int) -> float:
        found = [0.0] if (j, i) == (len(ref), len(hyp)) else []
        if j < len(ref):
            found.append(costs[1] + rest(j + 1, i))
        if i < len(hyp):
            found.append(costs[2] + rest(j, i + 1))
        if j < len(ref) and i < len(hyp):
            found.append(min(joins(j, i)) + rest(j + 1, i + 1))
        found += [
            cost + rest(j + q, i + p) for (at, q, place, p), cost in phrases.items() if (at, place) == (j, i)
        ]
        return min(found)

    return rest(0, 0)


class TestAgainstTryingEverything:
    def case(
        self, random: np.random.Generator
    ) -> tuple[list[int], list[int], Links, Phrases, NDArray[np.float64]]:
        ref, hyp = (random.integers(0, 5, random.integers(1, 7)).tolist() for _ in range(2))
        links = {
            (j, i): int(random.integers(1, 4))
            for j in range(len(ref))
            for i in range(len(hyp))
            if random.random() < 0.15
        }
        phrases: Phrases = {}
        for _ in range(3):
            q, p = random.integers(1, 3, 2).tolist()
            if q <= len(ref) and p <= len(hyp):
                j, i = random.integers(0, len(ref) - q + 1), random.integers(0, len(hyp) - p + 1)
                phrases[int(j), q, int(i), p] = float(random.uniform(0, 2))
        costs = random.uniform(0.2, 1.5, 7)
        costs[0] = 0.0
        return ref, hyp, links, phrases, costs

    def run(
        self, ref: list[int], hyp: list[int], links: Links, phrases: Phrases, costs: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], float]:
        from pfsm_kernels.strings.edit_rate import count_edits

        counts, used = count_edits(
            np.array(ref, dtype=np.int32),
            np.array([0, len(ref)]),
            np.array(hyp, dtype=np.int32),
            np.array([0, len(hyp)]),
            np.array([[*place, how] for place, how in links.items()], dtype=np.int32).reshape(-1, 3),
            np.array([0, len(links)]),
            np.array(list(phrases), dtype=np.int32).reshape(-1, 4),
            np.array([0, len(phrases)]),
            np.array(list(phrases.values())),
            costs,
        )
        return counts[0], float(counts[0] @ costs + np.array(list(phrases.values()))[used].sum())

    def test_without_shifts_the_cost_is_the_least(self) -> None:
        random = np.random.default_rng(5)
        kinds: Counter[int] = Counter()
        for _ in range(150):
            ref, hyp, links, phrases, costs = self.case(random)
            costs[4] = 1e6
            counts, cost = self.run(ref, hyp, links, phrases, costs)
            assert cost == pytest.approx(least_cost(ref, hyp, links, phrases, costs.tolist()))
            kinds.update(np.flatnonzero(counts).tolist())
        assert set(kinds) == {0, 1, 2, 3, 5, 6}

    def test_shifts_never_cost_more_than_they_save(self) -> None:
        random, shifts = np.random.default_rng(6), 0.0
        for _ in range(150):
            ref, hyp, links, phrases, costs = self.case(random)
            counts, cost = self.run(ref, hyp, links, phrases, costs)
            assert cost <= least_cost(ref, hyp, links, phrases, costs.tolist()) + 1e-9
            shifts += counts[4]
        assert shifts > 10
