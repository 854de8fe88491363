"""Invented judgments and lattices to train on, small enough to look at."""

from collections.abc import Sequence
from importlib.resources import files

import numpy as np

from pfsm.data import DataSource, Judgments, read_judgments
from pfsm.lattice.arrays import ArcFeatures, LatticeBatch
from pfsm_training.config import config_from_dict
from tests.kernels.lattice_cases import random_lattices

# Word forms that share stems, so that every matcher finds something.
WORDS = [
    *("lamp", "lamps", "river", "rivers", "stone", "stones", "walk", "walks", "walked", "walking"),
    *("quiet", "quietly", "open", "opened", "opens", "night", "garden", "gardens", "paint", "painted"),
    *("painter", "bread", "morning", "mornings", "harbour", "seven", "wind", "winds"),
]
MARKS = [".", ",", "!"]
# Words and stems at the lambda of the paper: where neither knowledge nor the search for lambda is the subject.
PLAIN = config_from_dict({"lambda": 5}, "plain")
STATES = ("Insert", "Delete", "S_word", "S_lemma", "S_punct", "S_odd")


def demo(part: str) -> Judgments:
    """The demonstration corpus that ships with the package: ``train`` or ``test``."""
    return read_judgments(str(files("pfsm.resources") / "demo" / f"{part}.tsv"))


def sentence(rng: np.random.Generator, shortest: int = 3, longest: int = 8) -> list[str]:
    words = rng.choice(WORDS, int(rng.integers(shortest, longest + 1))).tolist()
    return [*words, str(rng.choice(MARKS))]


def corrupted(rng: np.random.Generator, words: Sequence[str], rate: float) -> list[str]:
    """Each word kept, or with probability ``rate`` dropped, replaced, or preceded by another."""
    result = []
    for word in words:
        fate = rng.random()
        if fate < rate / 3:
            continue
        if fate < 2 * rate / 3:
            result.append(str(rng.choice(WORDS)))
        elif fate < rate:
            result += [str(rng.choice(WORDS)), word]
        else:
            result.append(word)
    return result


def invented(
    seed: int, segments: int = 30, systems: int = 3, languages: Sequence[str] = (), name: str = "invented.tsv"
) -> Judgments:
    """Judgments whose score falls with the rate at which the translation was corrupted, plus noise."""
    rng = np.random.default_rng(seed)
    references, hypotheses, scores, ids, origins = [], [], [], [], []
    for segment in range(segments):
        words = sentence(rng)
        for _ in range(systems):
            rate = float(rng.uniform(0.0, 0.9))
            references.append(" ".join(words))
            hypotheses.append(" ".join(corrupted(rng, words, rate)))
            scores.append(70.0 - 40.0 * rate + 4.0 * float(rng.normal()))
            ids.append(f"{seed}-{segment}")
            origins.append(languages[segment % len(languages)] if languages else "")
    columns = {"segment_id": tuple(ids)} | ({"source_lang": tuple(origins)} if languages else {})
    source = DataSource(name, len(scores), f"{seed:064x}")
    return Judgments(tuple(references), tuple(hypotheses), np.array(scores), columns, (source,))


def random_batch(
    seed: int, pairs: int = 30, longest: int = 8, max_block: int = 2, arcs: float = 1.5
) -> LatticeBatch:
    """Lattices with class-split Insert and Delete states, blocks, overlapping offers and an empty pair."""
    rng = np.random.default_rng(seed)
    sizes = [(0, 0), *((int(m), int(n)) for m, n in rng.integers(0, longest + 1, (pairs - 1, 2)))]
    return LatticeBatch(STATES, random_lattices(rng, sizes, len(STATES), max_block, arcs))


def random_features(seed: int, n_arcs: int, names: tuple[str, ...]) -> ArcFeatures:
    """Entries on some arcs, in no order, several on one arc, the same name twice on one among them."""
    rng = np.random.default_rng(seed)
    count = 2 * n_arcs
    arc, feature = rng.integers(0, max(n_arcs, 1), count), rng.integers(0, len(names), count)
    if count:
        arc[-1], feature[-1] = arc[0], feature[0]
    return ArcFeatures(names, arc.astype(np.int64), feature.astype(np.int32), rng.normal(size=count))


def judgments_of(
    references: Sequence[str], hypotheses: Sequence[str], scores: Sequence[float], name: str = "given.tsv"
) -> Judgments:
    """Judgments without further columns."""
    source = DataSource(name, len(scores), "0" * 64)
    return Judgments(tuple(references), tuple(hypotheses), np.array(scores, dtype=np.float64), {}, (source,))
