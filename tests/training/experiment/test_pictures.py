"""What pictures say in words: names that fit, and numbers that are there however long a name is."""

import numpy as np
import pytest
from scipy import stats

from pfsm.data import Judgments
from pfsm_training.experiment import data as experiment_data
from pfsm_training.experiment.estimates import Prediction
from pfsm_training.experiment.figures import LONGEST_TITLE, scatter
from pfsm_training.experiment.weights import LONGEST_LABEL, label


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("S_word", "S_word"),
        ("feature:chrf", "chrf"),
        ("feature:embedding_f1(layer=4,source=package:a-b@34fac109)", "embedding_f1(layer=4)"),
        ("feature:embedding_distance(source=package:a-b@34fac109)", "embedding_distance"),
        ("feature:" + "x" * 40, "x" * (LONGEST_LABEL - 1) + "…"),
    ],
)
def test_labels_of_weights(name: str, shown: str) -> None:
    assert label(name) == shown


def test_a_long_name_does_not_hide_the_correlation() -> None:
    scores = np.array([1.0, 2.0, 4.0, 3.0])
    predicted = np.array([0.1, 0.5, 0.4, 0.6])
    test = experiment_data.TestSet("set", Judgments(("r",) * 4, ("h",) * 4, scores, {}, ()), ("all",) * 4)
    row = "a name that is much too long to stand above a panel"
    draw = scatter(test, [Prediction(row, None, 0, {"set": predicted})])
    assert draw is not None
    axes = draw().axes[0]
    assert axes.get_title() == row[: LONGEST_TITLE - 1] + "…"
    r = f"{stats.pearsonr(predicted, scores)[0]:.3f}".lstrip("0")
    assert [text.get_text() for text in axes.texts] == [f"r = {r}"]
