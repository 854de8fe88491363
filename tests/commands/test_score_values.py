"""`pfsm score`: the numbers, against edit sequences written out, and what must not change them."""

import math
from pathlib import Path

import numpy as np
import pytest

from tests.command_runs import Cli, Write, text
from tests.judgment_cases import rows
from tests.model_cases import random_weights, saved
from tests.oracles import matching
from tests.oracles.enumeration import Arc, EditLattice, enumerate_all


def test_anchoring_keeps_the_order_and_sets_the_marks(cli: Cli, write: Write, trained: Path) -> None:
    from pfsm.model.file import load_model, save_model
    from pfsm_training.fit.anchor import anchored

    references = [reference for reference, _, _ in rows(40)]
    save_model(anchored(load_model(trained), references), "anchored.json")
    write("ref.txt", text([*references, ""]))
    write("same.txt", text([*references, ""]))
    write("other.txt", text(["zz " * len(reference.split()) for reference in references] + [""]))
    write("hyp.txt", text([hypothesis for _, hypothesis, _ in rows(40)] + [""]))
    command = ("score", "ref.txt", "-i", "same.txt", "other.txt", "hyp.txt", "-f", "json", "-sl", "-m")
    same, other, hypotheses = (result["segment_scores"] for result in cli(*command, "anchored.json").document)
    assert same[-1] == other[-1] == pytest.approx(0.0, abs=1e-9)
    distinct = sorted(set(references))
    places = [references.index(reference) for reference in distinct]
    assert float(np.median([same[place] for place in places])) == pytest.approx(100.0, abs=1e-9)
    assert float(np.median([other[place] for place in places])) == pytest.approx(0.0, abs=1e-9)
    before = cli(*command, str(trained)).document[2]["segment_scores"]
    assert np.argsort(before[:-1]).tolist() == np.argsort(hypotheses[:-1]).tolist()


@pytest.mark.parametrize("matching_mode", ["exclusive", "overlapping"])
@pytest.mark.parametrize("max_block", [1, 2, 3])
def test_a_hand_set_model_scores_exactly_what_its_edit_sequences_say(
    matching_mode: str, max_block: int, cli: Cli, write: Write, tmp_path: Path
) -> None:
    rng = np.random.default_rng(max_block)
    words = ("walk", "walks", "walked", "Cat", "cat", ",", ".")
    sides = [
        [[words[at] for at in rng.integers(0, 7, rng.integers(0, 5))] for _ in range(14)] for _ in range(2)
    ]
    weights, alpha = random_weights(rng, 3.0), float(rng.normal())
    saved(
        tmp_path,
        "m.json",
        weights=weights,
        alpha=alpha,
        settings={"max_block": max_block, "matching": matching_mode},
    )
    write("ref.txt", text([" ".join(tokens) for tokens in sides[0]]))
    write("hyp.txt", text([" ".join(tokens) for tokens in sides[1]]))
    names = ["punct", "word", "lemma"]
    wanted = []
    for reference, hypothesis in zip(*sides, strict=True):
        arcs = matching.arcs(
            reference,
            hypothesis,
            names,
            dict.fromkeys(names, max_block),
            exclusive=matching_mode == "exclusive",
        )
        lattice = EditLattice(
            ("Delete",) * len(reference), ("Insert",) * len(hypothesis), tuple(Arc(*arc) for arc in arcs)
        )
        length = max(1, lattice.m + lattice.n)
        wanted.append(enumerate_all(lattice, weights).log_sum / length + alpha)
    result = cli("score", "ref.txt", "-i", "hyp.txt", "-m", "m.json", "-sl", "--format", "json").document
    np.testing.assert_allclose(result["segment_scores"], wanted, rtol=0.0, atol=1e-12)
    assert result["score"] == pytest.approx(math.fsum(wanted) / len(wanted), abs=1e-12)


def test_threads_make_no_difference(cli: Cli, write: Write, trained: Path) -> None:
    made = rows(120, seed=9)
    write("ref.txt", text([reference for reference, _, _ in made]))
    write("hyp.txt", text([hypothesis for _, hypothesis, _ in made]))
    command = ("score", "ref.txt", "-i", "hyp.txt", "-m", str(trained), "-sl", "-f", "json")
    one, two, free = (cli(*command, *threads).out for threads in (("--threads", "1"), ("--threads", "2"), ()))
    assert one == two == free
