"""Training reads its text once: lines are tokenised once, features computed once, their metrics made once."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from pfsm.data import Preferences
from pfsm.features import values as features
from pfsm.metrics.metric_group import MetricGroup, columns
from pfsm.metrics.parts import LENGTHS, lengths
from pfsm.metrics.terp.metric import TerpMetric
from pfsm.model.settings import Settings, settings_from_dict
from pfsm.text.chunks import Tokeniser
from pfsm.text.languages import ready_tokeniser
from pfsm_training import train
from pfsm_training.config import config_from_dict
from pfsm_training.data.training_text import TrainingText
from tests.training.small_data import invented
from tests.training.test_distributed import encoder

JUDGMENTS = invented(0)
PREFERENCES = Preferences(
    JUDGMENTS.references[:8],
    JUDGMENTS.hypotheses[:8],
    tuple(f"{line} too" for line in JUDGMENTS.hypotheses[:8]),
    np.ones(8),
    {},
    (),
)
LINES = {*JUDGMENTS.references, *JUDGMENTS.hypotheses, *PREFERENCES.worse}
LEARNING: dict[str, Any] = {
    "matchers": ["punct", "word", "lemma", "para", "char"],
    "options": {"char": {"bins": "auto"}, "para": {"bins": "auto"}},
    "features": ["length", "length_difference"],
}
TERP = ["terp-base", "terp-base.deletion", "terp-base.insertion"]


@pytest.fixture
def tokenised(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a tokeniser got each line."""
    counts: Counter[str] = Counter()

    def counting(name: str) -> Tokeniser:
        found = ready_tokeniser(name)

        def keys(line: str) -> list[str]:
            counts[line] += 1
            return found.keys(line)

        return Tokeniser(found.name, keys, found.analyse)

    monkeypatch.setattr("pfsm.text.vocabulary.ready_tokeniser", counting)
    return counts


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of TERps as they are made."""
    names: list[str] = []
    original = TerpMetric.__init__

    def counting(self: TerpMetric, name: str, options: Any) -> None:
        names.append(name)
        original(self, name, options)

    monkeypatch.setattr(TerpMetric, "__init__", counting)
    return names


def test_each_line_is_tokenised_once(tokenised: Counter[str]) -> None:
    config = config_from_dict({**LEARNING, "lambda": [0.5, 5]}, "settings")
    model = train(JUDGMENTS, preferences=PREFERENCES, config=config, threads=1)
    assert model.settings.options["char"]["bins"] != "auto"
    assert tokenised == dict.fromkeys(LINES, 1)


def test_a_worker_tokenises_its_lines_once_and_the_client_none(tokenised: Counter[str]) -> None:
    # Settings that no other test has: a worker keeps its builder.
    settings = settings_from_dict({"features": ["length"], "lowercase": False}, "settings")
    text = TrainingText(JUDGMENTS, PREFERENCES, settings)
    assert not tokenised
    encoder(10_000)(text)
    assert tokenised == dict.fromkeys(LINES, 1)


def test_features_learned_from_are_not_computed_again_on_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def counted(hypotheses: Sequence[str], references: Sequence[str]) -> Any:
        sizes.append(len(hypotheses))
        return lengths(hypotheses, references)

    group = MetricGroup(parts={"length": LENGTHS}, values=columns(LENGTHS, counted), label=str)
    monkeypatch.setattr(features, "group_of", lambda _: group)
    learning = Settings(features={"length": None, "length_difference": (0.0, 1.0)})
    text = TrainingText(JUDGMENTS, None, learning)
    data = encoder(16)(text)
    assert sizes == [len(JUDGMENTS)]
    values = np.concatenate([block.batch.sentence_features.values for block in data.lattices.futures])
    mean, sd = text.settings.features["length"] or (0.0, 0.0)
    expected = lengths(JUDGMENTS.hypotheses, JUDGMENTS.references)[:, :2]
    np.testing.assert_array_equal(values, (expected - [mean, 0.0]) / [sd, 1.0])
    # With all scales given, every worker computes the features of its own pairs.
    encoder(16)(TrainingText(JUDGMENTS, None, Settings(features=text.settings.features)))
    assert sizes[1:] == np.diff(data.lattices.offsets).tolist()


def test_metrics_are_made_once_in_training(made: list[str]) -> None:
    settings = settings_from_dict({"features": TERP}, "settings")
    made.clear()
    train(JUDGMENTS, settings, threads=1)
    # One for the scores, one for all of its parts.
    assert made == ["terp-base"] * 2
