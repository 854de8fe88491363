"""Models with plug-ins: what files record, and what happens where the plug-in is missing or another."""

import json
from pathlib import Path

import numpy as np
import pytest

from pfsm.errors import PfsmError, PfsmWarning
from pfsm.model.file import Model, load_model, model_from_dict, save_model
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict
from tests.command_runs import Cli
from tests.core.plugins.packages import SAME_LENGTH, installed, uninstalled
from tests.model_cases import document

MATCHER = {"matcher": {"same-length": "same_length:SameLength"}}
SETTINGS = {"matchers": ["punct", "word", "same-length"], "split": ["S_same-length"], "classes": {}}
WEIGHTS = {
    "Insert": -1.0, "Delete": -1.0, "S_word": 1.0, "S_same-length": 0.5, "S_same-length:content": 0.25,
    "S_same-length>S_word": 0.5, "same-length:any": 0.125,
}  # fmt: skip


@pytest.fixture
def lengths(site: Path) -> Path:
    """The matcher of words of as many characters is installed."""
    installed(site, "pfsm-lengths", MATCHER, {"same_length": SAME_LENGTH}, "0.3")
    return site


@pytest.fixture
def file(lengths: Path, tmp_path: Path) -> Path:
    """A model with it."""
    path = tmp_path / "lengths.json"
    save_model(Model("lengths", settings_from_dict(SETTINGS, "x"), WEIGHTS, 0.25), path)
    return path


def test_the_file_records_package_and_version(file: Path) -> None:
    written = json.loads(file.read_text(encoding="utf-8"))
    assert written["plugins"] == {"matchers": {"same-length": "pfsm-lengths 0.3"}}
    model = load_model(file)
    assert model.to_dict() == written
    assert model.weights == WEIGHTS


def test_it_scores_and_signs(file: Path) -> None:
    metric = Metric(load_model(file), 1)
    # "ab cd" against "xy": by hand, see the weights: two ways to match, one to edit everything.
    weights = WEIGHTS
    match = weights["S_same-length"] + weights["S_same-length:content"] + 0.5 * weights["same-length:any"]
    paths = [
        # The Delete may stand before or after the match; three edits in any of three orders.
        *[match + weights["Delete"]] * 2,
        *[weights["Delete"] * 2 + weights["Insert"]] * 3,
    ]
    expected = np.log(np.sum(np.exp(paths))) / 3 + 0.25
    np.testing.assert_allclose(metric.score_pairs(["xy"], ["ab cd"]), [expected], rtol=1e-12)
    assert "|match:punct+word+same-length(pfsm-lengths@0.3)|" in metric.get_signature(1)


def test_a_missing_plugin_is_one_line(file: Path, lengths: Path, cli: Cli) -> None:
    uninstalled(lengths, "pfsm-lengths")
    expected = (
        f"{file}: plugins: the model needs the matcher 'same-length' of pfsm-lengths 0.3, which is not here; "
        "install pfsm-lengths"
    )
    assert cli("show", str(file)).fault == expected


def test_another_package_is_refused(file: Path, lengths: Path) -> None:
    uninstalled(lengths, "pfsm-lengths")
    installed(lengths, "other", MATCHER, {}, "2")
    with pytest.raises(PfsmError, match=r"but here it is of other 2; install pfsm-lengths$"):
        load_model(file)
    # Nor does a package stand for a script.
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"pfsm-lengths 0.3"', '"module my_lengths 1f2e3d4c"'), encoding="utf-8")
    with pytest.raises(PfsmError, match=r"but here it is of other 2; import my_lengths$"):
        load_model(file)


def test_another_version_is_used_with_a_warning(file: Path, lengths: Path, cli: Cli) -> None:
    before = file.read_bytes()
    uninstalled(lengths, "pfsm-lengths")
    installed(lengths, "pfsm-lengths", MATCHER, {}, "0.4")
    warned = cli("show", str(file))
    assert warned.status == 0
    assert warned.err == (
        f"pfsm: warning: {file}: plugins: the model needs the matcher 'same-length' of pfsm-lengths 0.3, "
        "but here is pfsm-lengths 0.4; scores may differ, which their signature shows\n"
    )
    with pytest.warns(PfsmWarning, match=r"here is pfsm-lengths 0.4"):
        model = load_model(file)
    assert "same-length(pfsm-lengths@0.4)" in Metric(model, 1).get_signature(1)
    # The file says what the model was trained with.
    save_model(model, file)
    assert file.read_bytes() == before


def test_damaged_records() -> None:
    damaged: list[object] = [[], {"matchers": []}, {"matchers": {"x": 1}}, {"matchers": {"x": "a\nb"}}]
    for plugins in damaged:
        with pytest.raises(PfsmError, match=r'^x: plugins: must be as in \{"matchers": '):
            model_from_dict(document(plugins=plugins), "x")
