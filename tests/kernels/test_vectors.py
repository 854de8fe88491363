"""The worked cases of the edit model hold for every implementation.

Any further file ``vectors*.json`` of the same format beside this test is run as well.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from pfsm_kernels.inference import best_path
from tests.kernels.kernel_runs import outcomes
from tests.kernels.lattice_cases import number
from tests.oracles.configuration_graph import add_up
from tests.oracles.enumeration import Arc, EditLattice, Link, enumerate_all, score

CASES: list[dict[str, Any]] = [
    case
    for path in sorted(Path(__file__).parent.glob("vectors*.json"))
    for case in json.loads(path.read_text(encoding="utf-8"))
]


def lattice_of(case: dict[str, Any]) -> EditLattice:
    # Insert and Delete states are named per position only where a case splits them into classes.
    return EditLattice(
        tuple(case.get("delete_states", ["Delete"] * case["m"])),
        tuple(case.get("insert_states", ["Insert"] * case["n"])),
        tuple(Arc(**arc) for arc in case["arcs"]),
        tuple(Link(**link) for link in case["links"]),
    )


def check_counts(case: dict[str, Any], found: dict[str, float]) -> None:
    if "expected_counts" not in case:
        return
    for name in {*found, *case["weights"], *case["expected_counts"]}:
        assert found.get(name, 0.0) == pytest.approx(case["expected_counts"].get(name, 0.0), abs=1e-7), name


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_every_implementation(case: dict[str, Any]) -> None:
    batch = number([lattice_of(case)], case["weights"], case["max_jump"])
    for outcome in outcomes(batch.lattices, batch.weights, batch.jumps):
        if outcome.accepted[0]:
            assert outcome.sums[0] == pytest.approx(case["log_sum"], rel=1e-9, abs=1e-9), outcome.name
            assert outcome.expected.log_sum[0] == pytest.approx(case["log_sum"], rel=1e-9, abs=1e-9)
            check_counts(case, batch.named_counts(0, outcome.expected))
    path = best_path(batch.lattices, batch.weights, 0, batch.jumps)
    assert path.score == pytest.approx(case["best_score"], rel=1e-9, abs=1e-9)
    assert score(batch.named[0], case["weights"], batch.replay(0, path)) == pytest.approx(
        path.score, rel=1e-12
    )


def test_the_oracles() -> None:
    for case in CASES:
        # The enumeration writes every sequence out: only where there are few.
        for oracle in [add_up, enumerate_all][: 1 + (case["m"] + case["n"] <= 10)]:
            truth = oracle(lattice_of(case), case["weights"], case["max_jump"])
            assert truth.log_sum == pytest.approx(case["log_sum"], rel=1e-9, abs=1e-9)
            assert truth.best_score == pytest.approx(case["best_score"], rel=1e-9, abs=1e-9)
            check_counts(case, truth.expected_counts)
