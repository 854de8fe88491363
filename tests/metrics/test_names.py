"""Names of metrics and features, with options in parentheses: what is misspelt is refused before anything is loaded."""

import pytest

from pfsm import PfsmError
from pfsm.features.values import check_feature, feature_values
from pfsm.metrics import get_metric

HYPOTHESES, REFERENCES = (
    ["An old bird sang.", "We walked."],
    ["The old bird sings.", "We walked, and it rained."],
)


@pytest.mark.parametrize("name", ["length(x=1)", "rte.content_r(", "meteor-base.f()"])
def test_parts_without_options(name: str) -> None:
    with pytest.raises(PfsmError, match="has no options; write it as"):
        check_feature(name)
    with pytest.raises(PfsmError, match="has no options; write it as"):
        feature_values([name], HYPOTHESES, REFERENCES)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("edpm.dl.p(n=0)", "n is 0, it must be a whole number"),
        ("edpm.dl.p(n=5", "not the name of a metric"),
        ("edpm-errors.dl.extra(parts=dl)", "leave out the option parts"),
        ("length_ratio(x=1)", "has no options, but was given x"),
        ("stm_b", "give a scale, as in"),
    ],
)
def test_options_of_features_are_checked_before_anything_is_scored(name: str, fault: str) -> None:
    with pytest.raises(PfsmError, match=fault):
        check_feature(name)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        # Names.
        ("blue", r"unknown metric 'blue'; did you mean bleu\? `pfsm metrics` lists all"),
        ("bleu.1", "is a feature of models, it cannot score alone"),
        ("stm_i(depth=3", "not the name of a metric"),
        ("stm_i(scale=1,scale=2)", "'scale=2' is not an option"),
        ("sp-op-*.x", "has no parts"),
        # Types.
        ("sp-op-nn", "'nn' is not a type of parts of speech; write it as in sp-op-NN"),
        ("dr-or-verb", "'verb' is not a type of condition; known are pred, rel"),
        # Options that there are not.
        ("bleu(smooth=1)", "metric bleu: unknown option 'smooth'; known are lowercase, tokenize"),
        ("sp-op-NN(average=types)", "unknown option 'average'; known are parser"),
        # Values: one of some, a whole number, a number, true or false, a name.
        ("bleu(tokenize=flores200)", "tokenize is 'flores200', it must be one of 13a, intl, zh, ja-mecab"),
        ("edpm(n=0)", "metric edpm: n is 0, it must be a whole number from 1 to 1000, or all"),
        ("dpm(gamma=nan)", "gamma is nan, it must be a number from 0 to 10"),
        ("dpm(parts=dl+ld)", r"parts is 'dl\+ld', it must be some of 1g, 2g, dl, lh, dlh, dh, joined by \+"),
        ("dtkm(decay=0)", "decay is 0, it must be a number above 0, at most 1"),
        ("sr-or-*(expected=2)", "expected is 2, it must be true or false"),
        ("dpm-model(parser=1)", "parser is 1, it must be the name of a parser"),
        ("terp-base(shift=true)", "shift is True, it must be a number from -1000 to 1000"),
        ("meteor-base(language=3)", "language is 3, it must be a code"),
        (
            "meteor-base(task=speed)",
            "task is 'speed', for en it must be one of rank, adq, hter, universal, li",
        ),
        ("meteor-base(language=de,task=v0.7)", "task is 'v0.7', for de it must be one of"),
        ("meteor-base(paraphrases=a|b)", r"paraphrases is 'a\|b', it must be the name of a table"),
        ("wer(tokeniser=13)", "metric wer: tokeniser is 13"),
        ("sp-op-*_i(scale=0)", "scale is 0, it must be a number above 0"),
        # Options that do not go together.
        ("edpm-exact(labels=ab)", "labels=ab are those of a list of trees; add n=50, or labels=projected"),
        ("bleu(smooth_value=1)", "smooth_value goes with smooth_method=floor or add-k"),
    ],
)
def test_what_is_misspelt_is_refused(name: str, fault: str) -> None:
    with pytest.raises(PfsmError, match=fault):
        get_metric(name)
