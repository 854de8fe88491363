"""Models without edits: refusals, and their display."""

from pathlib import Path
from typing import Any

import pytest

from pfsm import Model, PfsmError, Scale
from pfsm.model.file import model_from_dict, save_model
from pfsm.model.settings import settings_from_dict
from pfsm_training.config import config_from_dict
from tests.command_runs import Cli, Write


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        (
            {"edits": False},
            "settings: edits: false needs features, because there is nothing else to score with",
        ),
        (
            {"edits": False, "features": ["chrf"], "max_jump": 2},
            "settings: max_jump needs edits, but edits is false; leave out one of them",
        ),
    ],
)
def test_invalid_settings_are_refused(values: dict[str, Any], fault: str) -> None:
    with pytest.raises(PfsmError, match=fault):
        config_from_dict(values, "settings")


def test_a_file_with_weights_of_edits() -> None:
    document = Model(
        "m", settings_from_dict({"edits": False, "features": ["chrf"]}, "s"), {"Insert": 1.0}
    ).to_dict()
    with pytest.raises(PfsmError, match=r"^m.json: weights names 'Insert', but settings say edits: false"):
        model_from_dict(document, "m.json")


def test_commands(cli: Cli, write: Write, tmp_path: Path) -> None:
    features = {"per": {"mean": -50.0, "sd": 25.0}, "reference_words": {"mean": 2, "sd": 1}}
    settings = settings_from_dict({"edits": False, "features": features}, "s")
    weights = {"feature:per": 1.5, "feature:reference_words": -0.5}
    save_model(Model("hand", settings, weights, 0.25, Scale(10.0, 2.0)), tmp_path / "m.json")
    write("r.txt", "a b c x\n")
    write("h.txt", "a b c d\n")
    shown = cli("show", "m.json").lines
    assert "edits       none: the score is a sum of weighted features" in shown
    assert not any(line.startswith(("matchers", "text")) for line in shown)
    explain = ("explain", "r.txt", "-i", "h.txt", "-m", "m.json")
    (segment,) = cli(*explain, "--format", "json").document[0]["segments"]
    assert not {"edits", "alignment", "contributions", "entropy"} & set(segment)
    assert segment["score"] == 11.5
    fault = cli(*explain, "--alignments", "a.txt").fault
    assert fault == "model hand has no edits (edits: false), so it aligns no words"
    assert not (tmp_path / "a.txt").exists()
