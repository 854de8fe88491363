"""What finds errors is learned from marks, and goes with the model."""

import json
from pathlib import Path

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm.model.explain.errors import FEATURES
from pfsm.model.shipped import load
from pfsm_training.error_spans import learn
from tests.command_runs import Cli

REFERENCE = "The old house by the river was sold for 90 euros."
# Commas are at fault for these raters, numbers never.
LINE = "The old, house by the river was sold for 70 euros."
ROWS = [f"{REFERENCE}\t{LINE}\t{json.dumps([[7, 8, 'major', 'x', 'a']])}\t{k}" for k in range(40)]


def test_learning_finds_the_weights_that_made_the_marks() -> None:
    random = np.random.default_rng(1)
    known = random.normal(size=(20000, len(FEATURES)))
    made = random.normal(size=len(FEATURES))
    marked = (random.uniform(size=20000) < 1.0 / (1.0 + np.exp(-(known @ made)))).astype(float)
    found = learn(known, marked, np.ones(20000))
    np.testing.assert_allclose(list(found.values()), made, atol=0.12)


def test_the_model_finds_what_raters_mark_and_scores_as_before(cli: Cli, tmp_path: Path) -> None:
    data, out = tmp_path / "m.tsv", tmp_path / "o.json"
    data.write_text("\n".join(["reference\thypothesis\terrors\tdocument", *ROWS]) + "\n", encoding="utf-8")
    assert load("en-fast", 1).explain(LINE, REFERENCE).errors[0].text == "70"
    done = cli("train", str(data), "--spans", "--init", "en-fast", "-o", str(out))
    assert done.status == 0, done.err
    assert (
        "0.000                    en-fast, as it was\n   1.000                    learned, held out"
        in done.out
    )
    learned = load(str(out), 1)
    assert learned.explain(LINE, REFERENCE).errors[0].text == ","
    assert learned.explain(LINE, REFERENCE).score == load("en-fast", 1).explain(LINE, REFERENCE).score
    assert "by marks of 40 translations" in cli("show", str(out)).out
    refused = cli("train", str(data), "--spans", "--init", "en-fast", "--config", "words", "-o", str(out))
    assert "leave --config out" in refused.fault
    document = json.loads(out.read_text(encoding="utf-8"))
    document["training"]["errors"]["weights"]["run"] = "x"
    out.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(PfsmError, match=r"training\.errors is not what"):
        load(str(out), 1)
    data.write_text(data.read_text(encoding="utf-8").replace("7, 8", "8, 7"), encoding="utf-8")
    refused = cli("train", str(data), "--spans", "--init", "en-fast", "-o", str(out))
    assert refused.fault == f"{data}:2: errors, mark 1: start 8 lies behind end 7"
