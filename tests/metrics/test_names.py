"""Names of metrics and features, with options in parentheses: what is misspelt is refused before anything is loaded."""

import numpy as np
import pytest

from pfsm import PfsmError
from pfsm.features.values import check_feature, feature_values
from pfsm.metrics import get_metric
from pfsm.metrics.names import parse_name

HYPOTHESES, REFERENCES = (
    ["An old bird sang.", "We walked."],
    ["The old bird sings.", "We walked, and it rained."],
)


@pytest.mark.parametrize(
    "name",
    ["length(x=1)", "bleu.1(lowercase=true)", "rte.content_r(parser=x)", "rte.content_r(", "meteor-base.f()"],
)
def test_parts_without_options(name: str) -> None:
    with pytest.raises(PfsmError, match="has no options; write it as"):
        check_feature(name)
    with pytest.raises(PfsmError, match="has no options; write it as"):
        feature_values([name], HYPOTHESES, REFERENCES)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("edpm.dl.p(n=0)", "n is 0, it must be a whole number"),
        ("edpm.dl.p(n=5", "no name of a metric"),
        ("hwcm.1(of=x)", "of is 'x'"),
        ("terp-base.shift(costs=x)", "costs is 'x'"),
        ("edpm-errors.dl.extra(gamma=-1)", "gamma is -1"),
        ("edpm-errors.dl.extra(parts=dl)", "leave out the option parts"),
        ("length_ratio(x=1)", "has no options, but was given x"),
        ("stm_b", "give a scale, as in"),
    ],
)
def test_options_of_features_are_checked_before_anything_is_scored(name: str, fault: str) -> None:
    with pytest.raises(PfsmError, match=fault):
        check_feature(name)


def test_features_with_options_have_values() -> None:
    names = [
        "hwcm.1(of=relations)",
        "terp-base.shift(costs=ter)",
        "edpm-errors.dl.extra(n=1)",
        "stm_b(scale=0.5)",
    ]
    assert np.isfinite(feature_values(names, HYPOTHESES, REFERENCES)).all()


@pytest.mark.parametrize("text", ["1_0", "\u0663", "\u00b2"])
def test_numbers_are_written_with_plain_digits(text: str) -> None:
    assert parse_name(f"edpm(n={text})").options == {"n": text}


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        # Names.
        ("blue", r"unknown metric 'blue'; did you mean bleu\? `pfsm metrics` lists all"),
        ("blue_i", "unknown metric 'blue_i'"),
        ("_b", "unknown metric '_b'"),
        ("bleu.1", "is a feature of models, it cannot score alone"),
        ("stm_i(depth=3", "no name of a metric"),
        ("stm_i(scale=1,scale=2)", "'scale=2' is no option"),
        ("dp-hwc-w(parser=)", "is no option"),
        ("length_ratio_i(x=1)", "has no options, but was given x"),
        ("sp-op-*.x", "has no parts"),
        ("dr-or-pred.1", "has no parts"),
        ("sr-or-A0.1", "has no parts"),
        # Types.
        ("sp-op-nn", "'nn' is no type of parts of speech; write it as in sp-op-NN"),
        ("dp-ol-0", "'0' is no type of levels of the dependency tree; write it as in dp-ol-1"),
        ("sr-or-a0", "'a0' is no semantic role; write it as in sr-or-A0"),
        ("dr-or-verb", "'verb' is no type of condition; known are pred, rel"),
        *((name, "unknown metric") for name in ("sp-op", "sp-op-", r"sp-ox-*", "sr-mr", "sr-or-", "dr-or")),
        # Options that there are not.
        ("bleu(smooth=1)", "metric bleu: unknown option 'smooth'; known are lowercase, tokenize"),
        ("wer(stem=true)", "metric wer: unknown option 'stem'; known are tokeniser, lowercase"),
        ("hwcm(depth=2)", "metric hwcm: unknown option 'depth'; known are length, of, lowercase, parser"),
        ("dpm-model(size=3)", "unknown option 'size'; known are parser, beam, penalty"),
        ("terp-base(stems=1)", "unknown option 'stems'; known are match, insertion"),
        ("meteor-base(beam=3)", "unknown option 'beam'; known are language, task, synonyms, paraphrases"),
        ("sp-op-NN(average=types)", "unknown option 'average'; known are parser"),
        ("sr-or(average=types)", "unknown option 'average'"),
        # Values: one of some, a whole number, a number, true or false, a name.
        ("bleu(tokenize=flores200)", "tokenize is 'flores200', it must be one of 13a, intl, zh, ja-mecab"),
        ("dpm(mean=a)", "mean is 'a', it must be f or pr"),
        ("edpm(n=0)", "metric edpm: n is 0, it must be a whole number from 1 to 1000, or all"),
        ("edpm(n=true)", "n is True, it must be a whole number"),
        ("dpm(gamma=nan)", "gamma is nan, it must be a number from 0 to 10"),
        ("dpm(gamma=inf)", "gamma is inf, it must be a number from 0 to 10"),
        ("dpm(parts=dl+ld)", r"parts is 'dl\+ld', it must be some of 1g, 2g, dl, lh, dlh, dh, joined by \+"),
        ("dpm(parts=dl+dl)", "it must be some of"),
        ("dtkm(decay=0)", "decay is 0, it must be a number above 0, at most 1"),
        ("tkm(decay=0)", "decay is 0, it must be above 0 and at most 1"),
        ("stm(depth=0)", "depth is 0, it must be a whole number from 1 to 20"),
        ("dr-stm(pieces=x)", "pieces is 'x', it must be subtrees or paths"),
        ("sr-or-*(expected=2)", "expected is 2, it must be true or false"),
        ("dpm-model(penalty=0)", "penalty is 0, it must be a number from"),
        ("dpm-model(parser=1)", "parser is 1, it must be the name of a parser"),
        ("terp-base(shift=true)", "shift is True, it must be a number from -1000 to 1000"),
        ("terp-base(edits=stems)", "edits is 'stems', it must be none or some of stem, synonym, paraphrase"),
        ("meteor-base(alpha=1.5)", "metric meteor-base: alpha is 1.5, it must be a number from 0 to 1"),
        ("meteor-base(language=3)", "language is 3, it must be a code"),
        (
            "meteor-base(task=speed)",
            "task is 'speed', for en it must be one of rank, adq, hter, universal, li",
        ),
        ("meteor-base(language=de,task=v0.7)", "task is 'v0.7', for de it must be one of"),
        ("meteor-base(paraphrases=a|b)", r"paraphrases is 'a\|b', it must be the name of a table"),
        ("wer(tokeniser=13a)", "metric wer: tokeniser is '13a'"),
        ("wer(tokeniser=13)", "metric wer: tokeniser is 13"),
        ("sp-op-*_i(scale=0)", "scale is 0, it must be a number above 0"),
        ("ter_i(scale=1e308)", "at most 1000"),
        # Options that do not go together.
        ("edpm-exact(labels=ab)", "labels=ab are those of a list of trees; add n=50, or labels=projected"),
        ("dpm-model(weight=2)", "weight goes with background, or with training=set"),
        ("bleu(smooth_value=1)", "smooth_value goes with smooth_method=floor or add-k"),
        ("bleu(smooth_method=add-k,smooth_value=0)", "smooth_value is 0, it must be a number above 0"),
    ],
)
def test_what_is_misspelt_is_refused(name: str, fault: str) -> None:
    with pytest.raises(PfsmError, match=fault):
        get_metric(name)
