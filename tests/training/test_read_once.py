"""Training reads its text once: lines are tokenised once, features computed once, their metrics made once."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from pfsm.data import Preferences
from pfsm.text.chunks import Tokeniser
from pfsm.text.languages import ready_tokeniser
from pfsm_training import train
from pfsm_training.config import config_from_dict
from tests.training.small_data import invented

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


def test_each_line_is_tokenised_once(tokenised: Counter[str]) -> None:
    config = config_from_dict({**LEARNING, "lambda": [0.5, 5]}, "settings")
    model = train(JUDGMENTS, preferences=PREFERENCES, config=config, threads=1)
    assert model.settings.options["char"]["bins"] != "auto"
    assert tokenised == dict.fromkeys(LINES, 1)
