"""Metrics over semantic roles, with roles given in files; all numbers by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm.metrics.registry import get_metric

REFERENCE = "Anna gave Bo a pen today"
SWAPPED = "Bo gave Anna a pen today"
OTHER_VERB = "Anna handed Bo a red pen"
NO_PREDICATE = "A pen"

ROLES = """\
# words = Anna\tgave\tBo\ta\tpen\ttoday
2\tgive\tgive.01\tARG0:1-1\tV:2-2\tARG2:3-3\tARG1:4-5\tARGM-TMP:6-6

# words = Bo\tgave\tAnna\ta\tpen\ttoday
2\tgive\tgive.01\tARG0:1-1\tV:2-2\tARG2:3-3\tARG1:4-5\tARGM-TMP:6-6

# words = Anna\thanded\tBo\ta\tred\tpen
2\thand\thand.01\tARG0:1-1\tV:2-2\tARG2:3-3\tARG1:4-6

# words = A\tpen

# words = A\tpen\twrites
3\twrite\twrite.01\tV:3-3
"""


@pytest.fixture(name="parser")
def _parser(tmp_path: Path) -> str:
    path = tmp_path / "roles.txt"
    path.write_text(ROLES, encoding="utf-8")
    return f"file:{path}"


def _score(name: str, hypothesis: str, reference: str, parser: str, **options: Any) -> float:
    return float(get_metric(name, parser=parser, **options).score_pairs([hypothesis], [reference])[0])


@pytest.mark.parametrize(
    ("name", "hypothesis", "score"),
    [
        # Roles of the same words: A1 {a, pen} and AM-TMP {today} agree; A0 and A2 have swapped words.
        ("sr-or-*", SWAPPED, (0 + 0 + 1 + 1) / 4),
        ("sr-or-A1", SWAPPED, 1.0),
        ("sr-mr-*", SWAPPED, 2 / 4),
        ("sr-orv-*", SWAPPED, 2 / 4),
        ("sr-mrv-*", SWAPPED, 2 / 4),
        # {a, red, pen} against {a, pen}: 2 / 3; the reference's AM-TMP is missing.
        ("sr-or-*", OTHER_VERB, (1 + 1 + 2 / 3 + 0) / 4),
        ("sr-or-A1", OTHER_VERB, 2 / 3),
        # Neither has this role, both have roles.
        ("sr-or-A4", OTHER_VERB, 1.0),
        ("sr-mr-*", OTHER_VERB, (1 + 1 + 0 + 0) / 4),
        ("sr-or", OTHER_VERB, 3 / 4),
        # Other verbs share nothing, and both sides enlarge the union: 3 + 4.
        ("sr-orv", OTHER_VERB, 0.0),
        ("sr-orv-*", OTHER_VERB, 0.0),
        # All elements together: 1 + 1 + 2 of {Anna, Bo, a, red, pen} and {Anna, Bo, a, pen, today}.
        ("sr-or-*(average=elements)", OTHER_VERB, 4 / 6),
    ],
)
def test_scores_by_hand(name: str, hypothesis: str, score: float, parser: str) -> None:
    assert _score(name, hypothesis, REFERENCE, parser) == pytest.approx(score, abs=1e-15)


@pytest.mark.parametrize("name", ["sr-or-*", "sr-orv", "sr-mr-A0"])
def test_without_analysis_the_score_is_zero(name: str, parser: str) -> None:
    metric = get_metric(name, parser=parser)
    predicate_only = "A pen writes"
    hypotheses = [NO_PREDICATE, REFERENCE, NO_PREDICATE, "", "", REFERENCE, predicate_only]
    references = [REFERENCE, NO_PREDICATE, NO_PREDICATE, REFERENCE, "", REFERENCE, predicate_only]
    assert metric.score_pairs(hypotheses, references).tolist() == [0, 0, 0, 0, 0, 1, 0]
    assert np.isnan(metric.understood_scores(hypotheses, references)).tolist() == [True] * 5 + [False, True]


def test_an_unlikely_predicate_has_no_arguments(tmp_path: Path) -> None:
    head = "\t_\t_\t_\t_\t_\t_\t_\t"
    text = (
        f"1\tAnna{head}_\n2\tsang{head}Pred=sing|PredP=0.9|Args=A0:1@0.8|Alts=A0:1@0.8,A1:1@0.1\n\n"
        f"1\tShe{head}_\n2\tsang{head}Pred=sing|PredP=0.4|Alts=A0:1@0.4\n\n"
        f"1\tAnna{head}_\n2\tsings{head}Pred=sing|Args=A0:1\n\n"
    )
    path = tmp_path / "roles.conllu"
    path.write_text(text, encoding="utf-8")
    parser = f"file:{path}"
    assert _score("sr-or-*", "Anna sang", "Anna sings", parser) == 1.0
    assert _score("sr-or", "She sang", "Anna sings", parser) == 0.0


def test_file_without_roles_is_the_wrong_one(tmp_path: Path) -> None:
    path = tmp_path / "trees.conllu"
    path.write_text("1\tGo\t_\tVERB\tVB\t_\t0\troot\t_\t_\n", encoding="utf-8")
    with pytest.raises(PfsmError, match="no semantic roles"):
        _score("sr-or-*", "Go", "Go", f"file:{path}")
