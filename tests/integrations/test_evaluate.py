"""The module for Hugging Face ``evaluate``, loaded from its folder without a network, in a process of its own."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import pfsm

CHECKOUT = Path(__file__).resolve().parents[2]
CODE = """
import json, sys
import evaluate
metric = evaluate.load(sys.argv[1])
print(json.dumps([metric.compute(**arguments) for arguments in json.loads(sys.argv[2])]))
"""
pytestmark = pytest.mark.skipif(find_spec("evaluate") is None, reason="evaluate is not installed")


def computed(folder: Path, *calls: dict[str, Any]) -> list[dict[str, Any]]:
    environment = {
        **os.environ,
        "HF_HOME": str(folder / "home"),
        "HF_HUB_OFFLINE": "1",
        "HF_EVALUATE_OFFLINE": "1",
    }
    module = CHECKOUT / "integrations" / "evaluate" / "pfsm"
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(module), json.dumps(calls)],
        env=environment, cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_scores_are_those_of_the_model(tmp_path: Path) -> None:
    metric = pfsm.load(threads=1)
    model = str(tmp_path / "own.json")
    pfsm.save_model(pfsm.Model("own", weights={"S_word": 1.0, "Delete": -1.0}), model)
    hypotheses = ["The cat sat down.", "A dog"]
    first, second = ["The cat sat.", "The dog barked."], ["The cat sat down.", "A dog barked."]
    single, several, varied, own = computed(
        tmp_path,
        {"predictions": hypotheses, "references": first},
        {"predictions": hypotheses, "references": [list(pair) for pair in zip(first, second, strict=True)]},
        {"predictions": hypotheses, "references": [first, second[1:]]},
        {"predictions": hypotheses, "references": first, "model": model},
    )
    expected = metric.score_pairs(hypotheses, first)
    assert single["scores"] == pytest.approx(expected.tolist())
    assert single["score"] == pytest.approx(expected.mean())
    assert single["signature"] == metric.get_signature(1)
    assert several["scores"] == pytest.approx(metric.segment_scores(hypotheses, [first, second]).tolist())
    assert several["signature"] == metric.get_signature(2)
    assert varied["signature"].startswith(f"nrefs:var|refs:best|model:{metric.name}|")
    assert own["scores"] == pytest.approx(pfsm.load(model, 1).score_pairs(hypotheses, first).tolist())
