"""Every option of every metric stands in its signature; what is misspelt is refused before anything is loaded."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.features.values import check_feature, feature_values
from pfsm.lexicons.compiling import Part, compile_paraphrases, compile_synonyms
from pfsm.lexicons.container import write_lexicon
from pfsm.metrics import get_metric, metric_names

# Another value than the default, by option; more than one where metrics differ in their defaults.
OTHER: dict[str, tuple[object, ...]] = {
    "lowercase": (True, False), "tokenize": ("char",), "case_sensitive": (True,), "normalized": (True,),
    "no_punct": (True,), "asian_support": (True,), "tokeniser": ("penn", "ter"), "language": ("de",), "task": ("adq",),
    "synonyms": ("other-synonyms",), "paraphrases": ("other-paraphrases",), "parts": ("dl",), "n": (3,),
    "gamma": (0.5,), "mean": ("pr",), "labels": ("ab", "projected"), "parser": ("file:trees.conllu",), "length": (3,),
    "depth": (3,), "pieces": ("paths",), "of": ("relations", "words"), "decay": (0.5,),
    "single": (False,), "average": ("elements",),
    "beam": (3,), "penalty": (0.5,), "actions": ("all",), "costs": ("ter",),
    "edits": ("stem",), "scale": (0.25,), "heads": ("collins",),
    "smooth_method": ("add-k", "none"), "smooth_value": (0.5, 0.501), "expected": (True,),
    "alpha": (0.5,), "beta": (3.0,),
    **dict.fromkeys(
        ("match", "insertion", "deletion", "substitution", "shift", "synonym", "stem", "paraphrase",
         "paraphrase_log", "paraphrase_probability", "paraphrase_edits"), (0.125,),
    ),
}  # fmt: skip
# Options that another one needs.
WITH: dict[str, dict[str, object]] = {
    "labels": {"n": 1}, "smooth_value": {"smooth_method": "add-k"},
}  # fmt: skip
# The label of counted references, which cannot be given without the counts: tests/core/metrics/test_nist.py.
APART = {"info"}
# Metrics that need tables of METEOR's, which do not ship: their twins with those that ship have the same options.
TWINS = {"meteor": "meteor-base", "terp": "terp-base", "dpmf": "dpmf-base"}
TREES = "1\ta\t_\tX\tY\t_\t0\troot\t_\t_\n\n"


def options_of(name: str) -> tuple[str, ...]:
    """What a metric says that it knows."""
    with pytest.raises(PfsmError) as refused:
        get_metric(name, no_such_option=1)
    found = re.search(r"; known are (.*)$", str(refused.value))
    if found is None:
        assert "has no options" in str(refused.value)
        return ()
    return tuple(found[1].split(", "))


METRICS = [TWINS.get(name, name) for name in metric_names()]


def signature(name: str, **options: object) -> str:
    return get_metric(name, **options).get_signature(1)


@pytest.fixture
def user_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another parser, another table of synonyms, another one of paraphrases."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path))
    (tmp_path / "trees.conllu").write_text(TREES, encoding="utf-8")
    synonyms = compile_synonyms(
        "other-synonyms", [Part("n", {"car": ["1"], "automobile": ["1"]}, {})], "", []
    )
    write_lexicon(synonyms, tmp_path / "other-synonyms.lexicon")
    phrases = compile_paraphrases("other-paraphrases", {(("big",), ("huge",)): 0.5}, "", ())
    write_lexicon(phrases, tmp_path / "other-paraphrases.lexicon")


@pytest.mark.parametrize("name", dict.fromkeys(METRICS))
def test_every_option_changes_the_signature(name: str, user_files: None) -> None:
    for option in set(options_of(name)) - APART:
        # Labels of constituents are those of a list of trees; others mean something only together.
        base = WITH.get(option, {})
        values = [value for value in OTHER[option] if fits(name, option, value, base)]
        found = {signature(name, **base, **{option: value}) for value in values}
        assert found - {signature(name, **base)}, f"{name}: {option} leaves no trace in {found}"


def fits(name: str, option: str, value: object, base: Mapping[str, object]) -> bool:
    """Whether the metric has such a value: not all have the same tokenisers."""
    try:
        get_metric(name, **base, **{option: value})
    except PfsmError:
        return False
    return True


# What the papers and the programs say; a number that moves here is another metric under the same name.
PUBLISHED = {
    "bleu": "case:mixed|eff:yes|tok:13a|smooth:exp",  # sacrebleu
    "chrf": "case:mixed|eff:yes|nc:6|nw:0|space:no",  # Popović (2015), sacrebleu
    "chrf++": "case:mixed|eff:yes|nc:6|nw:2|space:no",  # Popović (2017), sacrebleu
    "ter": "sign:negative|case:lc|tok:tercom|norm:no|punct:yes|asian:no",  # sacrebleu
    "nist": "order:5",  # Doddington (2002)
    "rouge-w": "weight:1.2",  # Lin (2004)
    "rouge-s": "skip:4",  # Lin (2004)
    "gtm-1": "e:1",  # Melamed, Green and Turian (2003)
    "gtm-2": "e:2",
    "edpm": "parts:1g+2g+dl+lh|trees:50|gamma:0.25|mean:f",  # Kahn, Snover and Ostendorf (2009)
    "dpm": "parts:dl+lh|trees:1|gamma:1.0|mean:f",
    "hwcm": "of:words|heads:ud|length:4",  # Liu and Gildea (2005)
    "dstm": "of:words|heads:ud|depth:4",
    "dtkm": "of:words|heads:ud|decay:1.0|single:true",
    "stm": "depth:4",
    "tkm": "decay:1",
    "meteor-base": "lang:en|task:rank|stages:exact+stem+syn",  # Denkowski and Lavie (2014)
    "terp-base": "costs:0/1.4/0.3/1.3/1/0.2/0/0.2/0/0/0",  # docs/metrics.md: tuned on WMT15
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_defaults(name: str) -> None:
    assert f"|{PUBLISHED[name]}|" in signature(name)


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
