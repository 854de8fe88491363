"""A head beside a model: the sum of both parts, in the shares that were asked for."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pfsm.encoder.feature import PieceReader
from pfsm.encoder.heads import remember
from pfsm.errors import PfsmError
from pfsm.model.file import load_model, save_model
from pfsm.model.metric import Metric
from pfsm.model.shipped import find_model
from pfsm_training.fit.anchor import combined
from tests.core.encoder.encoders import LINES, network
from tests.core.encoder.encoders import head as random_head

REFERENCES = [line for line in LINES if line.split()]
HYPOTHESES = REFERENCES[1:] + REFERENCES[:1]
SHARE = 0.7


def test_the_parts_add_up(tmp_path: Path) -> None:
    source, head, edits = network(tmp_path), random_head(), find_model("en-small")
    model = combined(edits, head, source, SHARE, HYPOTHESES, REFERENCES)
    save_model(model, tmp_path / "both.json")
    metric = Metric(load_model(tmp_path / "both.json"))
    d = (Metric(edits).score_pairs(HYPOTHESES, REFERENCES) - 100.0) / edits.scale.sd
    h = PieceReader(remember(head), source).values(HYPOTHESES, REFERENCES, relative=True)
    whole = (1.0 - SHARE) * d / d.std() + SHARE * h / h.std()
    lost = 100.0 - metric.score_pairs(HYPOTHESES, REFERENCES)
    unit = lost.max() / -whole.min()
    np.testing.assert_allclose(lost, unit * np.maximum(-whole, 0.0), rtol=1e-9, atol=1e-9)
    assert metric.score_pairs(REFERENCES, REFERENCES).tolist() == [100.0] * len(REFERENCES)


def test_what_cannot_be_combined(tmp_path: Path) -> None:
    source, head, edits = network(tmp_path), random_head(), find_model("en-small")
    lines = HYPOTHESES, REFERENCES
    with pytest.raises(PfsmError, match="share is 1"):
        combined(edits, head, source, 1.0, *lines)
    both = combined(edits, head, source, SHARE, *lines)
    absolute = replace(edits, settings=replace(edits.settings, form="absolute"))
    for model in (both, absolute):
        with pytest.raises(PfsmError, match="form relative without an encoder"):
            combined(model, head, source, SHARE, *lines)
    with pytest.raises(PfsmError, match="same for all pairs"):
        combined(edits, head, source, SHARE, REFERENCES, REFERENCES)
