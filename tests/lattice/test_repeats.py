"""Insert:repeat: words that a translation says twice in a row have an Insert of their own."""

from pathlib import Path

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm.lattice.building import LONGEST, repeated_words
from pfsm.model.file import load_model, save_model
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict
from pfsm.text.vocabulary import Vocabulary
from tests.command_runs import Cli
from tests.model_cases import model, saved
from tests.oracles import matching
from tests.oracles.classes import word_class
from tests.oracles.enumeration import Arc, EditLattice, enumerate_all

LISTS = {"function": ["the", "of"]}
WORDS = ("the", "The", "dog", ",", "of")


def repeated(tokens: list[str], longest: int = LONGEST) -> list[bool]:
    """By definition: some run of tokens that holds the word is followed or preceded by the same run."""
    words = [token.lower() for token in tokens]
    found = [False] * len(words)
    for first in range(len(words)):
        for size in range(1, longest + 1):
            run, behind = words[first : first + size], words[first + size : first + 2 * size]
            if run == behind and len(run) == size:
                found[first : first + 2 * size] = [True] * (2 * size)
    return [one and any(map(str.isalnum, word)) for one, word in zip(found, words, strict=True)]


def test_which_words_are_said_twice() -> None:
    rng = np.random.default_rng(3)
    lines = [[WORDS[at] for at in rng.integers(0, len(WORDS), rng.integers(0, 20))] for _ in range(200)]
    lines += [["a", "b", "c", "d", "e", "f", "g", "h", "i"][:size] * 2 for size in (LONGEST, LONGEST + 1)]
    vocabulary = Vocabulary("plain", "none")
    found = repeated_words(vocabulary.encode([" ".join(line) for line in lines]), vocabulary)
    expected = [one for line in lines for one in repeated(line)]
    assert found.tolist() == expected
    assert 0 < sum(expected) < len(expected)
    # A line ends a run.
    assert not repeated_words(vocabulary.encode(["the dog", "the dog"]), vocabulary).any()
    assert repeated_words(vocabulary.encode([]), vocabulary).shape == (0,)


def enumerated(
    reference: list[str], hypothesis: list[str], split: list[str], weights: dict[str, float]
) -> float:
    """y / (m + n) by brute force: a part of a state weighs what the whole state and the part weigh."""
    names = ["punct", "word", "lemma"]
    found = matching.arcs(reference, hypothesis, names, dict.fromkeys(names, 1), exclusive=True)

    def state(base: str, token: str) -> str:
        return f"{base}:{word_class(token, LISTS)}" if base in split else base

    inserts = [
        "Insert:repeat" if twice else state("Insert", token)
        for token, twice in zip(hypothesis, repeated(hypothesis), strict=True)
    ]
    lattice = EditLattice(
        tuple(state("Delete", token) for token in reference),
        tuple(inserts),
        tuple(Arc(i, p, j, q, of) for i, p, j, q, of in found),
    )
    states = {*lattice.delete_states, *lattice.insert_states, *(arc.state for arc in lattice.arcs)}
    both = {}
    for one in states:
        both[one] = weights.get(one, 0.0) + (weights.get(one.split(":")[0], 0.0) if ":" in one else 0.0)
        for after in states:
            name, whole = f"{one}>{after}", f"{one.split(':')[0]}>{after.split(':')[0]}"
            both[name] = weights.get(name, 0.0) + (weights.get(whole, 0.0) if whole != name else 0.0)
    return enumerate_all(lattice, both).log_sum / max(1, lattice.m + lattice.n)


@pytest.mark.parametrize("split", [["Insert:repeat"], ["Insert", "Insert:repeat", "Delete"]])
def test_scores_are_those_of_all_edit_sequences(split: list[str]) -> None:
    rng = np.random.default_rng(len(split))
    classes = ["repeat", "function", "content", "punctuation", "name"]
    states = ["Insert", "Delete", "S_punct", "S_word", *(f"Insert:{name}" for name in classes)]
    names = [*states, *(f"{before}>{after}" for before in states for after in states)]
    weights = dict(zip(names, rng.normal(size=len(names)).tolist(), strict=True))
    lines = [[WORDS[at] for at in rng.integers(0, len(WORDS), rng.integers(0, 5))] for _ in range(40)]
    settings = {"tokeniser": "plain", "split": split, **({"classes": LISTS} if "Insert" in split else {})}
    metric = Metric(model(settings=settings, weights=weights), 1)
    references, hypotheses = lines[:20], lines[20:]
    scores = metric.score_pairs(
        [" ".join(line) for line in hypotheses], [" ".join(line) for line in references]
    )
    expected = [enumerated(*pair, split, weights) + 0.25 for pair in zip(references, hypotheses, strict=True)]
    assert scores == pytest.approx(expected, abs=1e-9)


def test_signature_file_and_table(cli: Cli, tmp_path: Path) -> None:
    alone = model(settings={"split": ["Insert:repeat"]}, weights={"Insert:repeat": -1.0, "Insert": -0.5})
    assert "|split:Insert:repeat|" in Metric(alone).get_signature(1)
    assert "classes" not in alone.to_dict()["settings"]
    save_model(alone, tmp_path / "alone.json")
    assert load_model(tmp_path / "alone.json").settings == alone.settings
    shown = cli("show", str(tmp_path / "alone.json")).lines
    assert "split       Insert of words said twice in a row" in shown
    assert any(line.split()[:1] == ["Insert:repeat"] for line in shown)
    both = {"split": ["Insert:repeat", "Delete", "Insert"]}
    assert settings_from_dict(both, "x").split == ("Insert", "Delete", "Insert:repeat")
    lines = cli("show", saved(tmp_path, settings=both)).lines
    at = lines.index("split       Insert, Delete by word class, lists en")
    assert lines[at + 1] == "            Insert of words said twice in a row"


@pytest.mark.parametrize("split", [["Delete:repeat"], ["Insert:repeat", "Insert:repeat"]])
def test_what_is_refused(split: list[str]) -> None:
    with pytest.raises(PfsmError, match=r"^x: split names"):
        settings_from_dict({"split": split}, "x")


def test_lists_of_classes_need_a_state_that_is_split_by_class() -> None:
    with pytest.raises(PfsmError, match="classes is given, but split names no state to split by word class"):
        settings_from_dict({"split": ["Insert:repeat"], "classes": {}}, "x")
    with pytest.raises(PfsmError, match="Delete:repeat"):
        model(weights={"Delete:repeat": 1.0})
