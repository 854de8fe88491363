"""Dependency features and the agreement of semantic roles against their definitions; all numbers by hand."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pfsm.lattice.arrays import ArcFeatures, LatticeBatch
from pfsm.model.builder import LatticeBuilder
from pfsm.model.explain.explanation import explanation_document
from pfsm.model.explain.text import explanation_lines
from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict
from pfsm_linguistics.analysers.service import analyse_lines
from pfsm_linguistics.analysis.roles import Argument, Frame
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.matchers import role
from pfsm_linguistics.matchers.analysed_lines import relations
from pfsm_linguistics.matchers.role import NAMES, agreement, roles_of_tokens
from tests.linguistics.analysis.samples import CONLLU


def conllu(words: str, heads: tuple[int, ...], labels: str) -> str:
    cells = zip(words.split(), heads, labels.split(), strict=True)
    return "".join(f"{k}\t{w}\t_\t_\t_\t_\t{h}\t{n}\t_\t_\n" for k, (w, h, n) in enumerate(cells, 1)) + "\n"


def annotated(name: str, parser: str, reference: str, hypothesis: str, **options: object) -> LatticeBatch:
    """The lattice of a pair with equal words, and what a matcher says of them that reads a parser's analyses."""
    given = {"matchers": ["word", name], "options": {name: {"parser": parser, **options}}}
    return LatticeBuilder(settings_from_dict(given, "x")).build([reference], [hypothesis])


def batch_of(folder: Path, text: str, reference: str, hypothesis: str, **options: object) -> LatticeBatch:
    (folder / "trees.conllu").write_text(text)
    return annotated("dep", f"file:{folder / 'trees.conllu'}", reference, hypothesis, **options)


def table(batch: LatticeBatch, features: ArcFeatures) -> dict[tuple[int, int, str], float]:
    """Value by place of the arc and name."""
    found = {}
    for arc, name, value in zip(features.arc, features.feature, features.value, strict=True):
        i, p, j, q, _ = batch.lattices.arcs[arc].tolist()
        assert p == q == 1
        found[i, j, features.names[name]] = float(value)
    return found


LEFT = conllu("dogs chase cats today", (2, 0, 2, 2), "nsubj root obj obl:tmod")
RIGHT = conllu("now dogs chase cats", (3, 3, 0, 3), "advmod nsubj:pass root iobj")


def test_links_and_arcs_by_hand(tmp_path: Path) -> None:
    batch = batch_of(tmp_path, LEFT + RIGHT, "dogs chase cats today", "now dogs chase cats")
    assert batch.states == ("Insert", "Delete", "S_word")
    # On "chase" after "dogs" the subject of both; on "cats" after "chase" an object of both.
    assert table(batch, batch.link_features) == {(1, 2, "link:subject"): 1.0, (2, 3, "link:object"): 1.0}
    # As the paper has it: an object (obj) is not an indirect object (iobj).
    labels = batch_of(tmp_path, LEFT + RIGHT, "dogs chase cats today", "now dogs chase cats", links="label")
    assert table(labels, labels.link_features) == {(1, 2, "link:subject"): 1.0}
    assert table(batch, batch.arc_features) == {
        (0, 1, "dep:class"): 1.0, (0, 1, "dep:head"): 1.0, (0, 1, "dep:both"): 1.0,
        (1, 2, "dep:class"): 1.0, (1, 2, "dep:head"): 1.0, (1, 2, "dep:both"): 1.0,
        (2, 3, "dep:head"): 1.0,
    }  # fmt: skip


def test_relations_in_different_directions_are_no_links(tmp_path: Path) -> None:
    left = conllu("dogs bark", (2, 0), "nsubj root")
    right = conllu("dogs bark .", (0, 1, 1), "root nsubj punct")
    every = left + right + LEFT + RIGHT
    batch = batch_of(tmp_path, every, "dogs bark", "dogs bark .")
    assert table(batch, batch.link_features) == table(batch, batch.arc_features) == {}
    lines = "dogs chase cats today", "now dogs chase cats"
    assert batch_of(tmp_path, every, *lines, links=False).link_features.names == ()
    assert batch_of(tmp_path, every, *lines, arcs=False).arc_features.names == ()


def test_relations_through_another_tokenisation(tmp_path: Path) -> None:
    from pfsm_linguistics.analysis.conllu import analysis_of, parse_conllu

    analysis = analysis_of(next(parse_conllu(CONLLU.split("\n"), "x")))
    found = relations(["We", "don't", "sing", ",", "Anna", "."], analysis, marginals=False)
    assert [[(one.head, one.label) for one in token] for token in found] == [
        [(3, "nsubj")], [(3, "aux")], [(0, "root")], [(5, "punct")], [(3, "vocative")], [(3, "punct")],
    ]  # fmt: skip
    # A token that is part of one of theirs: the first part stands for it.
    parts = relations(["W", "e", "do", "n't", "sing", ",", "Anna", "."], analysis, marginals=False)
    assert [(one.head, one.label) for one in parts[0]] == [(5, "nsubj")]
    assert parts[1] == ()
    assert relations(["another", "text"], analysis, marginals=True) == ((), ())


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
    batch = annotated("role", parser, REFERENCE, hypothesis)
    assert batch.states == ("Insert", "Delete", "S_word")
    expected = {(*place, f"role:{name}"): 1.0 for place, names in found.items() for name in names.split()}
    assert table(batch, batch.arc_features) == expected
    assert batch.link_features.names == ()
    assert (
        table(annotated("role", parser, REFERENCE, hypothesis, expected=True), batch.arc_features) == expected
    )


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


def test_agreement_is_the_probability_that_roles_agree() -> None:
    left = {("A0", "eat"): 0.5, ("A0", "be"): 0.2, ("A1", "eat"): 0.1}
    right = {("A0", "eat"): 0.4, ("V", "eat"): 0.5}
    same, verb, other, one = 0.7 * 0.4, 0.5 * 0.4, 0.7 * 0.5 + 0.1 * 0.9, 0.8 * 0.1 + 0.2 * 0.9
    assert agreement(left, right) == pytest.approx((same, verb, other, one), abs=1e-12)
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


def test_a_failed_parse_says_nothing(monkeypatch: pytest.MonkeyPatch, parser: str) -> None:
    def analyse(lines: list[str], *arguments: Any) -> list[Analysis]:
        return [Analysis(tuple(line.split()), (0,)) if line == SWAPPED else given for line, given in zip(
            lines, analyse_lines(lines, *arguments), strict=True)]  # fmt: skip

    monkeypatch.setattr(role, "analyse_lines", analyse)
    assert annotated("role", parser, REFERENCE, SWAPPED).arc_features.arc.size == 0
    assert annotated("role", parser, REFERENCE, OTHER_VERB).arc_features.arc.size > 0


def test_the_shipped_labeller_notices_who_did_what() -> None:
    lines = "The farmer paid the baker.", "The baker paid the farmer."
    batch = annotated("role", "en-ewt", *lines)
    found = table(batch, batch.arc_features)
    assert found[1, 4, "role:other"] == found[4, 1, "role:other"] == found[2, 2, "role:verb"] == 1.0
    assert set(batch.arc_features.names) == set(NAMES)
