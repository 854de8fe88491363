"""Agreement of semantic roles against their definition, with roles given in files; all numbers by hand."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pfsm.analysis.roles import Argument, Frame
from pfsm.analysis.sentence import Analysis
from pfsm.analysis.service import analyse_lines
from pfsm.lattice.arrays import LatticeBatch
from pfsm.matchers import role
from pfsm.matchers.role import NAMES, agreement, roles_of_tokens
from pfsm.model.builder import LatticeBuilder
from pfsm.model.explain.explanation import explanation_document
from pfsm.model.explain.text import explanation_lines
from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict
from tests.matchers.test_dependency import table

REFERENCE = "dogs chase cats"
SWAPPED = "cats chase dogs"
OTHER_VERB = "dogs hate cats"
NESTED = "Anna thinks dogs chase cats"
NO_PREDICATE = "cats"
ROLES = """\
# words = dogs\tchase\tcats
2\tchase\tchase.01\tARG0:1-1\tV:2-2\tARG1:3-3

# words = cats\tchase\tdogs
2\tchase\tchase.01\tARG0:1-1\tV:2-2\tARG1:3-3

# words = dogs\thate\tcats
2\thate\thate.01\tARG0:1-1\tV:2-2\tARG1:3-3

# words = Anna\tthinks\tdogs\tchase\tcats
2\tthink\tthink.01\tARG0:1-1\tV:2-2\tARG1:3-5
4\tchase\tchase.01\tARG0:3-3\tV:4-4\tARG1:5-5

# words = cats

# words = he\tdo\tn't\tsing
4\tsing\tsing.01\tARG0:1-1\tARGM-NEG:3-3\tV:4-4
"""


@pytest.fixture(name="parser")
def _parser(tmp_path: Path) -> str:
    path = tmp_path / "roles.txt"
    path.write_text(ROLES, encoding="utf-8")
    return f"file:{path}"


def batch_of(parser: str, reference: str, hypothesis: str, **options: object) -> LatticeBatch:
    settings = settings_from_dict(
        {"matchers": ["word", "role"], "options": {"role": {"parser": parser, **options}}}, "x"
    )
    return LatticeBuilder(settings).build([reference], [hypothesis])


@pytest.mark.parametrize(
    ("hypothesis", "found"),
    [
        (REFERENCE, {(0, 0): "same verb", (1, 1): "same verb", (2, 2): "same verb"}),
        # The words of the roles have changed places; the verb has not.
        (SWAPPED, {(0, 2): "other", (1, 1): "same verb", (2, 0): "other"}),
        (OTHER_VERB, {(0, 0): "same", (2, 2): "same"}),
        # Inside an argument of thinks, the shorter argument of chase counts.
        (NESTED, {(0, 2): "same verb", (1, 3): "same verb", (2, 4): "same verb"}),
        (NO_PREDICATE, {(2, 0): "one"}),
    ],
)
def test_features_by_hand(hypothesis: str, found: dict[tuple[int, int], str], parser: str) -> None:
    batch = batch_of(parser, REFERENCE, hypothesis)
    assert batch.states == ("Insert", "Delete", "S_word")
    expected = {(*place, f"role:{name}"): 1.0 for place, names in found.items() for name in names.split()}
    assert table(batch, batch.arc_features) == expected
    assert batch.link_features.names == ()
    assert table(batch_of(parser, REFERENCE, hypothesis, expected=True), batch.arc_features) == expected


def test_a_token_of_several_words_and_a_word_of_several_tokens(parser: str) -> None:
    (analysis,) = analyse_lines(["he do n't sing"], parser)
    assert roles_of_tokens(["he", "don't", "sing"], analysis, expected=False) == (
        {("A0", "sing"): 1.0}, {}, {("V", "sing"): 1.0},
    )  # fmt: skip
    assert roles_of_tokens(["h", "e", "do", "n't", "sing"], analysis, expected=False) == (
        {("A0", "sing"): 1.0}, {("A0", "sing"): 1.0}, {}, {("AM-NEG", "sing"): 1.0}, {("V", "sing"): 1.0},
    )  # fmt: skip
    assert roles_of_tokens(["another", "text"], analysis, expected=False) is None


FRAMES = (
    Frame(
        1, "chase", (Argument("A0", ((0, 1),), 0.9),), probability=0.8,
        alternatives=(Argument("A0", ((0, 1),), 0.9), Argument("A1", ((0, 3),), 0.3)),
    ),
    Frame(
        2, "be", (), probability=0.4,
        alternatives=(Argument("A1", ((0, 2),), 0.5),),
    ),
)  # fmt: skip
LINE = Analysis(("dogs", "chase", "cats"), (0,), frames=FRAMES)


def by_enumeration(word: int) -> dict[tuple[str, str], float]:
    """All ways in which arguments can be there or not; the shortest of those that are there counts."""
    parts = [(0, one.predicate, ("V", one.lemma), one.probability) for one in FRAMES if one.predicate == word]
    for frame in FRAMES:
        for argument in frame.possible:
            if word in argument.words:
                share = frame.probability * argument.probability
                parts.append((len(argument.words), frame.predicate, (argument.label, frame.lemma), share))
    parts.sort()
    found: dict[tuple[str, str], float] = {}
    for there in product([True, False], repeat=len(parts)):
        probability = 1.0
        for own, (*_, share) in zip(there, parts, strict=True):
            probability *= share if own else 1.0 - share
        if any(there):
            name = parts[there.index(True)][2]
            found[name] = found.get(name, 0.0) + probability
    return found


def test_possible_arguments_count_by_their_probabilities() -> None:
    found = roles_of_tokens(LINE.tokens, LINE, expected=True)
    assert found is not None
    for word, roles in enumerate(found):
        assert roles == pytest.approx(by_enumeration(word), abs=1e-12)
    # Decisions: be is less likely a predicate than not.
    assert roles_of_tokens(LINE.tokens, LINE, expected=False) == (
        {("A0", "chase"): 1.0}, {("V", "chase"): 1.0}, {},
    )  # fmt: skip


def test_agreement_is_a_distribution() -> None:
    left = {("A0", "eat"): 0.5, ("A0", "be"): 0.2, ("A1", "eat"): 0.1}
    right = {("A0", "eat"): 0.4, ("V", "eat"): 0.5}
    same, verb, other, one = agreement(left, right)
    assert same == pytest.approx(0.7 * 0.4, abs=1e-12)
    assert verb == pytest.approx(0.5 * 0.4, abs=1e-12)
    assert other == pytest.approx(0.7 * 0.5 + 0.1 * 0.9, abs=1e-12)
    assert one == pytest.approx(0.8 * 0.1 + 0.2 * 0.9, abs=1e-12)
    assert same + other + one + 0.2 * 0.1 == pytest.approx(1.0, abs=1e-12)
    assert agreement({}, {}) == (0.0, 0.0, 0.0, 0.0)


def test_an_explanation_says_which_roles_agree(parser: str) -> None:
    settings = settings_from_dict(
        {"matchers": ["word", "role"], "options": {"role": {"parser": parser}}}, "x"
    )
    weights = {"S_word": 2.0, "Insert": -1.0, "Delete": -1.0, "role:same": 0.5, "role:verb": 0.25}
    model = Model("x", settings, weights)
    explanation = Metric(model).explain(OTHER_VERB, REFERENCE)
    # Two words of three on either side have the same role of another verb: .5 / (3 + 3) each.
    assert [(one.reference, one.hypothesis, one.feature, one.value) for one in explanation.agreements] == [
        ((0, 1), (0, 1), "role:same", 1.0), ((2, 3), (2, 3), "role:same", 1.0),
    ]  # fmt: skip
    assert [one.points for one in explanation.agreements] == pytest.approx([0.5 / 6] * 2, abs=1e-15)
    lines = list(explanation_lines(explanation))
    assert sum(line.endswith("dogs  (same role +0.0833)") for line in lines) == 1
    assert explanation_document(explanation)["agreements"][0]["feature"] == "role:same"
    plain = Metric(Model("x", replace(settings, matchers=("word",)), weights)).explain(OTHER_VERB, REFERENCE)
    assert plain.agreements == ()
    assert "agreements" not in explanation_document(plain)


def test_a_failed_parse_says_nothing(monkeypatch: pytest.MonkeyPatch, parser: str) -> None:
    def analyse(lines: list[str], *arguments: Any) -> list[Analysis]:
        return [Analysis(tuple(line.split()), (0,)) if line == SWAPPED else given for line, given in zip(
            lines, analyse_lines(lines, *arguments), strict=True)]  # fmt: skip

    monkeypatch.setattr(role, "analyse_lines", analyse)
    assert batch_of(parser, REFERENCE, SWAPPED).arc_features.arc.size == 0
    assert batch_of(parser, REFERENCE, OTHER_VERB).arc_features.arc.size > 0


def test_the_shipped_labeller_notices_who_did_what() -> None:
    lines = "The farmer paid the baker.", "The baker paid the farmer."
    batch = batch_of("en-ewt", *lines)
    found = table(batch, batch.arc_features)
    assert found[1, 4, "role:other"] == found[4, 1, "role:other"] == found[2, 2, "role:verb"] == 1.0
    assert set(batch.arc_features.names) == set(NAMES)
