"""Any metric mixed with lexical overlap: against the paper's formulas, names, options, features."""

from pathlib import Path

import numpy as np
import pytest

from pfsm import PfsmError
from pfsm.distributed.scorers import spec_of
from pfsm.features.values import check_feature, feature_signature, feature_values, with_checksum
from pfsm.metrics import get_metric
from pfsm.metrics.registry import describe_metric, group_of

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
HYPOTHESES = ["Birds sing", "Birds sang", "How sing", "Birds sing", ""]
REFERENCES = ["Birds sang", "Birds sang", "Birds sing", "How sing", ""]
OVERLAPS = np.array([1 / 3, 1.0, 1 / 3, 1 / 3, 1.0])


@pytest.fixture
def parser(tmp_path: Path) -> str:
    path = tmp_path / "parses.conllu"
    path.write_text(CONLLU, encoding="utf-8")
    return f"file:{path}"


def test_back_off_is_scaled_by_the_mean_of_what_was_parsed(parser: str) -> None:
    plain = get_metric("dp-or-*", parser=parser).score_pairs(HYPOTHESES, REFERENCES)
    # nsubj: {birds} twice; root: {birds, sing} and {birds, sang}.
    assert plain.tolist() == pytest.approx([(1 + 1 / 3) / 2, 1.0, 0.0, 0.0, 1.0])
    mixed = get_metric("dp-or-*_b", parser=parser).score_pairs(HYPOTHESES, REFERENCES)
    mean = (plain[0] + plain[1]) / 2
    np.testing.assert_allclose(mixed, [*plain[:2], *(mean * OVERLAPS[2:])], rtol=1e-12)


@pytest.mark.parametrize("name", ["hwcm", "dpm", "dp-oc-*"])
def test_every_metric_over_analyses_backs_off(name: str, parser: str) -> None:
    # Some of them refuse a line without a tree: they are not shown any.
    plain = get_metric(name, parser=parser).score_pairs(HYPOTHESES[:2], REFERENCES[:2])
    mixed = get_metric(f"{name}_b", parser=parser).score_pairs(HYPOTHESES, REFERENCES)
    np.testing.assert_array_equal(mixed[:2], plain)
    np.testing.assert_allclose(mixed[2:], plain.mean() * OVERLAPS[2:], rtol=1e-12)


def test_a_scale_makes_pairs_independent(parser: str) -> None:
    metric = get_metric(f"dp-or-*_b(parser={parser},scale=0.25)")
    scores = metric.score_pairs(HYPOTHESES, REFERENCES)
    assert scores[2:].tolist() == pytest.approx((0.25 * OVERLAPS[2:]).tolist())
    for number in range(5):
        one = slice(number, number + 1)
        assert metric.score_pairs(HYPOTHESES[one], REFERENCES[one])[0] == scores[number]


def test_nothing_was_parsed(parser: str) -> None:
    metric = get_metric("dp-or-*_b", parser=parser)
    assert metric.score_pairs(["How sing"], ["Birds sing"])[0] == pytest.approx(1 / 3)
    assert metric.score_pairs([], []).shape == (0,)


def test_interpolation_is_the_mean(parser: str) -> None:
    plain = get_metric("dp-or-*", parser=parser).score_pairs(HYPOTHESES, REFERENCES)
    mixed = get_metric("dp-or-*_i", parser=parser).score_pairs(HYPOTHESES, REFERENCES)
    np.testing.assert_allclose(mixed, (plain + OVERLAPS) / 2, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "unit"), [("bleu", 100.0), ("terp-base", 100.0), ("ter", 100.0), ("stm", 1.0), ("rouge-l", 1.0)]
)
def test_every_metric_can_be_mixed(name: str, unit: float) -> None:
    plain, lexical = (get_metric(one).score_pairs(LINES, OTHERS) for one in (name, "ol"))
    mixed = get_metric(f"{name}_i").score_pairs(LINES, OTHERS)
    np.testing.assert_allclose(mixed, (plain + unit * lexical) / 2, rtol=1e-12, atol=1e-12)
    # All lines have parses, or need none.
    np.testing.assert_array_equal(get_metric(f"{name}_b").score_pairs(LINES, OTHERS), plain)


def test_options_reach_the_metric() -> None:
    lower = get_metric("bleu(lowercase=true)").score_pairs(["the cat"], ["The Cat"])
    mixed = get_metric("bleu_i(lowercase=true,scale=50)").score_pairs(["the cat"], ["The Cat"])
    assert mixed[0] == pytest.approx((lower[0] + 50) / 2)
    assert get_metric("bleu_i", lowercase=True, scale=50).score_pairs(["the cat"], ["The Cat"])[0] == mixed[0]
    with pytest.raises(PfsmError, match="unknown option 'depth'"):
        get_metric("tkm_i(depth=3)")


def test_the_order_of_pairs_does_not_matter(parser: str) -> None:
    metric = get_metric("dp-or-*_b", parser=parser)
    forward = metric.score_pairs(HYPOTHESES * 3, REFERENCES * 3)
    backward = metric.score_pairs(HYPOTHESES[::-1] * 3, REFERENCES[::-1] * 3)
    np.testing.assert_array_equal(forward, backward[::-1])


def test_names_and_signatures() -> None:
    for name in ("stm_i", "dp-or-*_b", "sp-op-NN_i", "chrf++_i(scale=3)"):
        group = group_of(name)
        assert group is not None
        assert group.is_metric(name)
        assert describe_metric(name).endswith("lexical overlap")
    signature = get_metric("stm(depth=3)").signature
    mixed = get_metric("stm_b(depth=3)").signature
    assert mixed == signature.replace("|version:", "|backoff:ol|scale:mean|version:")
    assert get_metric("stm_i").name == "stm_i"
    assert group_of("length_difference_i") is None
    assert group_of("bleu.bp_i") is None


def test_as_features() -> None:
    names = ["stm_i", "stm_b(scale=0.5)"]
    values = feature_values(names, LINES, OTHERS)
    for column, name in enumerate(names):
        check_feature(name)
        assert with_checksum(name) == name
        assert feature_signature(name).startswith(f"{name}(level:segment,depth:4,")
        np.testing.assert_array_equal(values[:, column], get_metric(name).score_pairs(LINES, OTHERS))
    with pytest.raises(PfsmError, match=r"feature stm_b: give the mean score, as in stm_b\(scale=0.4\)"):
        with_checksum("stm_b")


def test_what_depends_on_other_pairs_is_not_scored_in_parts() -> None:
    assert spec_of(get_metric("stm_b", scale=0.5)).recipe.text == "stm_b(scale=0.5)"
    with pytest.raises(PfsmError, match=r"stm_b: its scale is the mean over all pairs.*stm_b\(scale=0.4\)"):
        spec_of(get_metric("stm_b"))
