"""Metrics, features and statistics of other packages, where users meet them."""

from pathlib import Path

import numpy as np
import pytest

from pfsm import registry
from pfsm.errors import PfsmError
from pfsm.evaluation.catalogue import SEGMENT_LEVEL, canonical, level_and_name
from pfsm.features.values import feature_signature, feature_values
from pfsm.metrics.registry import describe_feature, get_metric, metric_names
from pfsm.model.references import metric_labels, plugin_labels, plugins_of
from pfsm.model.settings import settings_from_dict
from pfsm.registry import fault_of_plugin
from tests.command_runs import Cli, Write
from tests.core.plugins.packages import installed
from tests.judgment_cases import rows, tsv

SOURCE = '''
    import numpy as np
    from pfsm.evaluation import Statistic, plain
    from pfsm.metrics.base import SegmentMetric

    class Letters(SegmentMetric):
        """Letters that both lines have.

        And so on.
        """
        name = "letters"
        def __init__(self, weight=1.0):
            self.weight = weight
        def entries(self):
            return {"weight": f"{self.weight:g}"}
        def score_pairs(self, hypotheses, references):
            pairs = zip(hypotheses, references, strict=True)
            return self.weight * np.array([float(len(set(ours) & set(theirs))) for ours, theirs in pairs])

    def made(weight=1.0):
        metric = Letters(weight)
        metric.name = "made"
        return metric

    class Picky(Letters):
        name = "picky"
        def understood_scores(self, hypotheses, references):
            known = [bool(ours and theirs) for ours, theirs in zip(hypotheses, references)]
            return np.where(known, self.score_pairs(hypotheses, references), np.nan)
    class Boundless(Letters):
        name = "boundless"
        def understood_scores(self, hypotheses, references):
            return np.full(len(hypotheses), np.inf)

    class Silent(Letters):
        name = "silent"
        def entries(self):
            return {}
    class Constant(Letters):
        name = "constant"
        def entries(self):
            return {"weight": "1"}
    class Nameless(Letters):
        name = "other"
    class Abstract(SegmentMetric):
        name = "abstract"
    def nothing(): return 3
    NUMBER = 3

    class Failing(SegmentMetric):
        name = "failing"
        def score_pairs(self, hypotheses, references):
            return self.look_up({}, hypotheses[0])
        def look_up(self, table, word):
            return table[word]

    def commas(hypotheses, references):
        "Commas of the hypothesis."
        return [line.count(",") for line in hypotheses]
    def few(hypotheses, references): return [1.0]
    def infinite(hypotheses, references): return [1.0, float("inf")]
    def words(hypotheses, references): return hypotheses

    def spread(metric, human): return -float(np.std(metric - human))
    AGREEMENT = plain("agreement", lambda metric, human: float(np.mean(np.sign(metric) == np.sign(human))), "Agreement")
    MISNAMED = plain("other", spread)
'''
POINTS = {
    "metric": {
        "letters": "numbers_here:Letters", "made": "numbers_here:made", "nameless": "numbers_here:Nameless",
        "picky": "numbers_here:Picky", "boundless": "numbers_here:Boundless", "made_i": "numbers_here:made",
        "silent": "numbers_here:Silent", "constant": "numbers_here:Constant",
        "abstract": "numbers_here:Abstract", "nothing": "numbers_here:nothing", "list": "builtins:list",
        "bleu": "numbers_here:Letters", "failing": "numbers_here:Failing",
    },
    "feature": {
        **{name: f"numbers_here:{name}" for name in ("commas", "few", "infinite", "words", "NUMBER")},
        "length": "numbers_here:commas",
    },
    "statistic": {
        "spread": "numbers_here:spread", "agreement": "numbers_here:AGREEMENT", "misnamed": "numbers_here:MISNAMED",
        "number": "numbers_here:NUMBER", "kendall": "numbers_here:spread", "tau_wmt12": "numbers_here:spread",
        "lost": "nowhere:X",
    },
}  # fmt: skip


@pytest.fixture(autouse=True)
def _package(site: Path) -> None:
    installed(site, "pfsm-numbers", POINTS, {"numbers_here": SOURCE}, "0.9")


@pytest.mark.parametrize("name", ["letters", "silent", "constant"])
def test_options_are_in_the_signature_whatever_the_author_says(name: str) -> None:
    metrics = [get_metric(f"{name}{options}") for options in ("", "(weight=2)", "(weight=9)")]
    metrics += [get_metric(name, weight=value) for value in (0.5, 4.0)]
    for level in ("segment", "corpus"):
        assert len({metric.get_signature(1, level) for metric in metrics}) == len(metrics)
        assert len({metric.get_short_signature(1, level) for metric in metrics}) == len(metrics)
    assert get_metric(f"{name}(weight=2)").signature == metrics[1].signature


def test_a_metric_by_its_name() -> None:
    metric = get_metric("letters(weight=2)")
    np.testing.assert_array_equal(metric.score_pairs(["abc", ""], ["bcd", "x"]), [4.0, 0.0])
    assert metric.get_signature(1).startswith(
        "nrefs:1|level:segment|plugin:pfsm-numbers@0.9|weight:2|version:"
    )
    assert "|corpus:mean|plugin:pfsm-numbers@0.9|" in metric.get_signature(1, "corpus")
    assert metric.corpus_score(["abc", ""], [["bcd", "x"]]).score == 2.0
    assert metric.segment_scores(["abc"], [["b"], ["ab"]]).tolist() == [4.0]
    assert get_metric("letters", weight=3).origin == "letters(weight=3)"
    assert get_metric("made").score_pairs(["a"], ["a"]).tolist() == [1.0]
    assert describe_feature("letters") == "Letters that both lines have"
    assert {"letters", "bleu", "made"} <= set(metric_names())
    assert get_metric("bleu").name == "bleu"  # ours
    assert metric_labels("letters(weight=2)", {"parser": "x"}) == ["metric letters(pfsm-numbers@0.9)"]


def test_what_cannot_be_made() -> None:
    of_ours = "' of pfsm-numbers 0.9: "
    for name, fault in (
        ("nameless", f"metric 'nameless{of_ours}calls itself 'other'; its name must be 'nameless', "),
        ("abstract", rf"metric 'abstract{of_ours}does not define score_pairs\(\); see `docs/extending.md`"),
        ("list", f"metric 'list{of_ours}must be a class derived from"),
        ("nothing", "metric 'nothing': makes a int, which is not a SegmentMetric"),
        (
            "letters(size=3)",
            r"metric letters: takes no such options \(got an unexpected keyword argument 'size'",
        ),
    ):
        with pytest.raises(PfsmError, match=f"^{fault}"):
            get_metric(name)


def test_one_line_names_the_plugin_that_fails(
    cli: Cli, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No traceback unless it is asked for, and faults of ours are not blamed on plug-ins."""
    asked = ("score", write("r", "one\n"), "-i", write("h", "two\n"), "--metric")
    fault = cli(*asked, "failing").fault
    said = "pfsm-numbers 0.9 has failed"
    assert fault.startswith(f"{said} (KeyError: 'two'; numbers_here.py, line ")
    assert fault.endswith("; its author must mend it, --verbose shows the calls")
    done = cli(*asked, "failing", "--verbose")
    assert done.status == 2
    assert "Traceback (most recent call last)" in done.err
    assert done.err.splitlines()[-1].startswith(f"pfsm: {said}")

    def broken(*_: object, **__: object) -> None:
        raise KeyError("ours")

    # Other tests may have registered plug-ins of their own.
    monkeypatch.delitem(registry._at_work, "tests", raising=False)
    monkeypatch.setattr("pfsm.commands.score.read_parallel", broken)
    with pytest.raises(KeyError, match="ours") as caught:
        cli(*asked, "chrf")
    assert fault_of_plugin(caught.value) is None


def test_features() -> None:
    found = feature_values(["commas", "length"], ["a, b,", "a"], ["", "bc"])
    np.testing.assert_array_equal(found, [[2.0, 0.0], [0.0, np.log1p(2)]])  # the length is ours
    assert feature_signature("commas") == "commas(pfsm-numbers@0.9)"
    assert describe_feature("commas") == "Commas of the hypothesis"
    settings = settings_from_dict({"features": ["commas", "chrf"]}, "x")
    assert plugins_of(settings) == {"features": {"commas": "pfsm-numbers 0.9"}}
    assert plugin_labels(settings) == ["feature commas(pfsm-numbers@0.9)"]
    for name, fault in (
        ("comas", r"unknown feature 'comas'; did you mean commas\?"),
        ("commas(n=1)", r"feature commas\(n=1\): has no options; write it as commas$"),
        ("NUMBER", "feature 'NUMBER' of pfsm-numbers 0.9: is not a function"),
    ):
        with pytest.raises(PfsmError, match=f"^x: {fault}"):
            settings_from_dict({"features": [name]}, "x")
    for name, fault in (
        ("few", r"gives numbers of shape \(1,\) for 2 pairs"),
        ("infinite", "gives inf for 'b' and 'd'"),
        ("words", "gives a list, float64 .n_pairs. is needed"),
    ):
        with pytest.raises(PfsmError, match=rf"^feature '{name}': {fault}$"):
            feature_values([name], ["a", "b"], ["c", "d"])


class TestMixturesWithLexicalOverlap:
    def test_the_mean(self) -> None:
        metric = get_metric("letters_i(weight=2,scale=10)")
        # Two letters of weight 2 and none of two words; one letter and the one word.
        assert metric.score_pairs(["abc", "x"], ["bcd", "x"]).tolist() == [4 / 2, (2 + 10) / 2]
        assert "|plugin:pfsm-numbers@0.9|weight:2|interpolated:ol|scale:10|" in metric.signature
        assert metric.name == "letters_i"
        assert describe_feature("letters_i") == "Letters that both lines have; mean with lexical overlap"
        assert describe_feature("made_b") == "backing off to lexical overlap"

    def test_backing_off(self) -> None:
        # A metric that does not say what it cannot judge never backs off.
        assert get_metric("letters_b").score_pairs(["abc", ""], ["bcd", ""]).tolist() == [2.0, 0.0]
        metric = get_metric("picky_b")
        # 2 and 1 on average; both empty: O_l is 1; one empty: 0.
        scores = metric.score_pairs(["abc", "x", "", ""], ["bcd", "x", "", "a"])
        assert scores.tolist() == [2.0, 1.0, 1.5, 0.0]
        assert get_metric("picky_i").score_pairs(["x", ""], ["x", ""]).tolist() == [1.0, 0.5]
        with pytest.raises(PfsmError, match=r"^metric 'boundless': gives inf for 'a' and 'b'$"):
            get_metric("boundless_b").score_pairs(["a"], ["b"])

    def test_a_plug_in_of_that_very_name_comes_first(self) -> None:
        with pytest.raises(PfsmError, match="calls itself 'made'; its name must be 'made_i'"):
            get_metric("made_i")


def test_a_statistic_by_its_name() -> None:
    assert SEGMENT_LEVEL["spread"].heading == "spread"
    assert SEGMENT_LEVEL["agreement"].heading == "Agreement"
    assert (canonical("spread"), level_and_name("segment-spread")) == ("spread", ("segment", "spread"))
    # Ours, by any of their names.
    assert SEGMENT_LEVEL["kendall"].heading == "Kendall tau-b"
    assert SEGMENT_LEVEL.plugin("tau_wmt12") is None
    for name, fault in (
        ("misnamed", "calls itself 'other'"),
        ("number", "is neither a function of a metric's and people's scores nor a Statistic"),
        ("lost", "cannot be imported"),
    ):
        with pytest.raises(PfsmError, match=f"^statistic '{name}' of pfsm-numbers 0.9: {fault}"):
            SEGMENT_LEVEL[name]


def test_a_metric_on_the_command_line(cli: Cli, write: Write) -> None:
    reference, hypothesis = write("r.txt", "abc\nx\n"), write("h.txt", "bcd\nx\n")
    scored = cli(
        "score", reference, "-i", hypothesis, "--metric", "letters(weight=2)", "-sl", "-f", "json"
    ).document
    assert scored["segment_scores"] == [4.0, 2.0]
    assert "plugin:pfsm-numbers@0.9" in scored["signature"]
    listed = {name: said.strip() for name, _, said in (line.partition(" ") for line in cli("metrics").lines)}
    assert listed["letters"] == "Letters that both lines have"
    assert listed["abstract"].startswith("broken: metric 'abstract' of pfsm-numbers 0.9: does not define")


def test_a_statistic_of_systems_on_the_command_line(cli: Cli, write: Write) -> None:
    made = rows(40)
    systems = [f"s{at % 4}" for at in range(40)]
    judged = write("test.tsv", tsv(made, system=systems))
    metric = get_metric("letters").score_pairs([row[1] for row in made], [row[0] for row in made])
    human = np.array([float(row[2]) for row in made])
    means = [np.array([side[k::4].mean() for k in range(4)]) for side in (metric, human)]
    asked = ("evaluate", judged, "--metric", "letters", "--confidence-n", "20", "-f", "json")
    found = cli(*asked, "--level", "system", "--statistics", "spread").document["correlation"]["groups"]
    assert found[0]["spread"]["value"] == pytest.approx(-np.std(means[0] - means[1]), rel=1e-12)
