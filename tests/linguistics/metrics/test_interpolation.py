"""Any metric mixed with lexical overlap: against the paper's formulas, names, options, features."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pfsm import PfsmError
from pfsm.metrics import get_metric
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.nist import ReferenceFittedMetric

LINES = ["The old bird sings near the river.", "We walked. It rained.", "Where is the house?", "No!"]
OTHERS = ["An old bird sang near a river.", "We walked, and it rained.", "Where are houses?", "No way!"]

# The third sentence was not parsed: it has no heads.
CONLLU = """\
1\tBirds\tbird\tNOUN\tNNS\t_\t2\tnsubj\t_\t_
2\tsing\tsing\tVERB\tVBP\t_\t0\troot\t_\t_

1\tBirds\tbird\tNOUN\tNNS\t_\t2\tnsubj\t_\t_
2\tsang\tsing\tVERB\tVBD\t_\t0\troot\t_\t_

1\tHow\t_\t_\t_\t_\t_\t_\t_\t_
2\tsing\t_\t_\t_\t_\t_\t_\t_\t_

"""

# The same parses as brackets. The third sentence was not parsed; of another one nothing but (()) is left.
BRACKETS = """\
(TOP (S (NP (NNS Birds)) (VP (VBP sing))))
(())
(TOP (S (NP (NNS Birds)) (VP (VBD sang))))
(NOPARSE (_ How) (_ sing))
"""
# No file has these two lines, alone or with a sentence that it has.
MISSING = ["Birds fly", "Birds sing how"]
FAILED = [("How sing", "Birds sing"), ("Birds sing", "How sing")] + [
    pair for line in MISSING for pair in ((line, "Birds sing"), ("Birds sing", line), (line, line))
]
PARSED = [("Birds sing", "Birds sang"), ("Birds sang", "Birds sang"), ("birds sang", "Birds sing")]
SYNTACTIC = [
    *(
        (name, "conllu")
        for name in ("edpm", "hwcm", "dtkm", "sp-op-*", "sp-nist-p", "dpm-model", "dpmf-base")
    ),
    *((name, "ptb") for name in ("cp-oc-NP", "stm", "tkm", "dpm(labels=ab)", "sp-nist-iob", "dstm")),
]


@pytest.fixture
def holes(tmp_path: Path) -> Path:
    """A folder with two files of parses, the same sentences in each and not in each."""
    (tmp_path / "parses.conllu").write_text(CONLLU, encoding="utf-8")
    (tmp_path / "parses.ptb").write_text(BRACKETS, encoding="utf-8")
    return tmp_path


def with_parser(name: str, parser: str) -> str:
    base, _, options = name.partition("(")
    return f"{base}({options.removesuffix(')')}{',' if options else ''}parser={parser})"


def mixed(name: str, ending: str, parser: str) -> SegmentMetric:
    base, parenthesis, options = with_parser(name, parser).partition("(")
    return get_metric(f"{base}{ending}{parenthesis}{options}")


def overlaps(pairs: Sequence[tuple[str, str]]) -> list[float]:
    sets = [(set(one.lower().split()), set(other.lower().split())) for one, other in pairs]
    return [len(one & other) / len(one | other) for one, other in sets]


class TestAFileOfParsesWithHoles:
    @pytest.mark.parametrize(("name", "kind"), SYNTACTIC)
    def test_every_metric_over_syntax(self, name: str, kind: str, holes: Path) -> None:
        parser = f"file:{holes / f'parses.{kind}'}"
        hypotheses, references = (list(side) for side in zip(*PARSED, *FAILED, strict=True))
        ours, n = slice(0, len(PARSED)), len(PARSED)
        plain = get_metric(with_parser(name, parser))
        if isinstance(plain, ReferenceFittedMetric):
            # What is counted is counted over all references in each call.
            plain = plain.counted_over([line for line in references if line not in MISSING])
        own = plain.score_pairs(hypotheses[ours], references[ours])
        backed = mixed(name, "_b", parser).score_pairs(hypotheses, references)
        np.testing.assert_allclose(backed[:n], own, rtol=1e-12)
        np.testing.assert_allclose(backed[n:], own.mean() * np.array(overlaps(FAILED)), rtol=1e-12)
        # By itself, a metric gives 0 for what is marked; what is missing may be a mistake.
        assert plain.score_pairs(*zip(*FAILED[:2], strict=True)).tolist() == [0.0, 0.0]
        with pytest.raises(PfsmError, match=r"parses.\w+: has no analysis of 'Birds fly'; add its sentences"):
            plain.score_pairs(["Birds sing"], ["Birds fly"])
        between = mixed(name, "_i", parser).score_pairs(hypotheses, references)
        np.testing.assert_allclose(between[:n], (own + overlaps(PARSED)) / 2, rtol=1e-12)
        np.testing.assert_allclose(between[n:], np.array(overlaps(FAILED)) / 2, rtol=1e-12)

    @pytest.mark.parametrize(
        ("name", "ending"),
        [
            *(("stm", end) for end in ("", "_b", "_i")),
            *((name, "_i") for name in ("sp-op-*", "dpm-model", "sp-nist-p", "hwcm-c", "edpm-exact")),
        ],
    )
    def test_the_wrong_parser_is_no_failed_parse(self, name: str, ending: str, tmp_path: Path) -> None:
        path = tmp_path / "no-tags.conllu"
        path.write_text(re.sub(r"(NOUN|VERB)\t\w+", "_\t_", CONLLU), encoding="utf-8")
        metric = (
            mixed(name, ending, f"file:{path}") if ending else get_metric(with_parser(name, f"file:{path}"))
        )
        with pytest.raises(PfsmError, match=r"the parser gives no .*; choose (another|one)"):
            metric.score_pairs(["Birds sing"], ["Birds sang"])

    def test_a_program_that_leaves_out_a_line(self, tmp_path: Path) -> None:
        script = "import sys; print(*[f'(S (X {l.strip()}))' for l in sys.stdin if l != 'b\\n'], sep='\\n')"
        (tmp_path / "parse.py").write_text(script, encoding="utf-8")
        parser = f"command:{sys.executable} {tmp_path / 'parse.py'}"
        pairs = ["a", "b", "c", "c"], ["a", "b", "b", "c"]
        for _ in range(2):  # the second time from the cache
            assert get_metric("stm_b", parser=parser).score_pairs(*pairs).tolist() == [1.0, 1.0, 0.0, 1.0]
            with pytest.raises(PfsmError, match="words differ from line"):
                get_metric("stm", parser=parser).score_pairs(*pairs)

    @pytest.mark.parametrize(
        ("name", "kind"),
        [
            ("hwcm(heads=collins)", "ptb"), ("stm", "ptb"), ("dp-or-*", "conllu"), ("sp-nist-p", "ptb"),
        ],
    )  # fmt: skip
    def test_several_references(self, name: str, kind: str, holes: Path) -> None:
        parser = f"file:{holes / f'parses.{kind}'}"
        hypotheses = ["Birds sing", "Birds sing", "Birds fly"]
        # A missing reference beside a good one, two missing ones, a missing hypothesis.
        references = [
            ["Birds fly", "Birds sang"],
            ["Birds fly", "Birds sing how"],
            ["Birds sang", "Birds sing"],
        ]
        plain = get_metric(with_parser(name, parser))
        if isinstance(plain, ReferenceFittedMetric):
            plain = plain.counted_over(["Birds sang", "Birds sing"])
        own = plain.score_pairs(["Birds sing"], ["Birds sang"])[0]
        back = mixed(name, "_b", parser).score_segments(hypotheses, references)
        assert back == pytest.approx([own, own * 2 / 3, own * 1 / 3])
        between = mixed(name, "_i", parser).score_segments(hypotheses, references)
        assert between == pytest.approx([(own + 1 / 3) / 2, 2 / 3 / 2, 1 / 3 / 2])


@pytest.mark.parametrize(("name", "unit"), [("ter", 100.0), ("stm", 1.0), ("rouge-l", 1.0)])
def test_every_metric_can_be_mixed(name: str, unit: float) -> None:
    plain, lexical = (get_metric(one).score_pairs(LINES, OTHERS) for one in (name, "ol"))
    mixed = get_metric(f"{name}_i").score_pairs(LINES, OTHERS)
    np.testing.assert_allclose(mixed, (plain + unit * lexical) / 2, rtol=1e-12, atol=1e-12)
    # All lines have parses, or need none.
    np.testing.assert_array_equal(get_metric(f"{name}_b").score_pairs(LINES, OTHERS), plain)


def test_names_and_signatures() -> None:
    signature = get_metric("stm(depth=3)").signature
    mixed = get_metric("stm_b(depth=3)").signature
    assert mixed == signature.replace("|version:", "|backoff:ol|scale:mean|version:")
    with pytest.raises(PfsmError, match="unknown option 'depth'"):
        get_metric("tkm_i(depth=3)")


def test_what_depends_on_other_pairs_is_not_scored_in_parts() -> None:
    assert get_metric("stm_b", scale=0.5).recipe().text == '["stm_b(scale=0.5)", {}]'
    with pytest.raises(PfsmError, match=r"stm_b: its scale is the mean over all pairs.*stm_b\(scale=0.4\)"):
        get_metric("stm_b").check_independent()
    assert [get_metric(name).is_independent for name in ("stm_b", "stm_b(scale=0.5)")] == [False, True]
