"""METEOR's alpha, beta and gamma as options, and the parameters of version 0.7 by name."""

import numpy as np
import pytest

from pfsm.features.values import feature_signature, feature_values
from pfsm.metrics import get_metric
from pfsm.metrics.registry import expanded

# Four words match in one chunk, one of them as a stem: of five words and of six.
HYPOTHESIS, REFERENCE = ["the old cats sat down"], ["the old cat sat on it"]
P, R = 4 / 5, 4 / 6


def by_hand(alpha: float, beta: float, gamma: float) -> float:
    f = P * R / (alpha * P + (1 - alpha) * R)
    return f * (1.0 - gamma * float(np.power(1 / 4, beta)))


def test_version_0_7() -> None:
    old = get_metric("meteor-base(task=v0.7)")
    assert old.score_pairs(HYPOTHESIS, REFERENCE)[0] == pytest.approx(by_hand(0.8, 0.83, 0.28), rel=1e-12)
    assert "|task:v0.7|" in old.signature


@pytest.mark.parametrize("values", [(0.5, 1.0, 0.3), (1.0, 3.0, 1.0)])
def test_parameters_by_hand(values: tuple[float, float, float]) -> None:
    alpha, beta, gamma = values
    metric = get_metric("meteor-base", task="v0.7", alpha=alpha, beta=beta, gamma=gamma)
    assert metric.score_pairs(HYPOTHESIS, REFERENCE)[0] == pytest.approx(by_hand(*values), rel=1e-12)
    assert f"|alpha:{alpha:g}|beta:{beta:g}|gamma:{gamma:g}|" in metric.signature
    corpus = metric.corpus_score(HYPOTHESIS, [REFERENCE])
    assert float(corpus) == pytest.approx(by_hand(*values), rel=1e-12)


def test_parts_with_options_are_features() -> None:
    names = expanded("meteor-base.*(task=v0.7)")
    assert names[:2] == ("meteor-base.precision(task=v0.7)", "meteor-base.recall(task=v0.7)")
    values = feature_values(["meteor-base.f(task=v0.7)", "meteor-base.f", *names[:2]], HYPOTHESIS, REFERENCE)[
        0
    ]
    assert values[0] == pytest.approx(P * R / (0.8 * P + 0.2 * R))
    assert values[2:] == pytest.approx([P, R])
    assert values[0] != pytest.approx(values[1])
    assert "task:v0.7" in feature_signature("meteor-base.f(task=v0.7)")
    assert expanded("bleu.*")[0] == "bleu.1"
