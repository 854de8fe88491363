"""Models by their names and by their files."""

from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.model.file import load_model
from pfsm.model.metric import Metric
from pfsm.model.shipped import DEFAULT_MODEL, find_model, load, shipped_models
from tests.model_cases import model, saved


def test_the_default_is_shipped() -> None:
    assert DEFAULT_MODEL in [shipped.name for shipped in shipped_models()]
    for shipped in shipped_models():
        assert find_model(shipped.name).to_dict() == load_model(shipped.path).to_dict()
        assert find_model(shipped.name).name == shipped.name
    assert load().model.to_dict() == find_model(DEFAULT_MODEL).to_dict()


def test_any_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path, "no-suffix")
    monkeypatch.chdir(tmp_path)
    for name in (path, Path(path), "no-suffix", "./no-suffix"):
        metric = load(name)
        assert isinstance(metric, Metric)
        assert metric.model.fingerprint == model().fingerprint


def test_a_pinned_model_is_that_model_or_an_error() -> None:
    now = find_model(DEFAULT_MODEL)
    assert find_model(f"{DEFAULT_MODEL}@{now.fingerprint}").to_dict() == now.to_dict()
    with pytest.raises(PfsmError, match=f"^en@00000000: .*; en is en@{now.fingerprint} now$"):
        find_model("en@00000000")
