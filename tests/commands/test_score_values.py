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
