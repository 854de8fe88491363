"""The models that ship match the words that both sides have, and others are not built."""

import sys
from importlib.resources import files
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from build_models import check_matches  # noqa: E402 - a script, not a package

from pfsm.data import read_judgments  # noqa: E402
from pfsm.errors import PfsmError  # noqa: E402
from pfsm.model.metric import Metric  # noqa: E402
from pfsm.model.shipped import load  # noqa: E402
from tests.model_cases import model  # noqa: E402

SAME = ("rivers run to the sea", "rivers run to the sea")


def words(match: float) -> Metric:
    return Metric(model(weights={"S_word": match, "Insert": 0.0, "Delete": 0.0}))


@pytest.mark.parametrize("name", ["en", "en-fast", "en-small"])
def test_shipped_models_match_the_words_of_both_sides(name: str) -> None:
    pairs = read_judgments(Path(str(files("pfsm"))) / "resources" / "demo" / "test.tsv")
    check_matches(load(name), list(zip(pairs.hypotheses, pairs.references, strict=True))[:12])


def test_a_model_that_deletes_and_inserts_instead_is_refused() -> None:
    pairs = [SAME, ("entirely other words", "nothing that comes again")]
    check_matches(words(1.0), pairs)
    with pytest.raises(
        PfsmError, match=r"^hand: matches 0% of the words that both sides have, and deletes and"
    ):
        check_matches(words(-30.0), pairs)
