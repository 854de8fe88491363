"""Conformance tests: what is good passes all, and each fault is found by the check that is for it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pfsm.conformance import analysers, matchers, metrics, texts
from pfsm.conformance.checks import Result, Subject, results
from pfsm.conformance.kinds import CHECKS
from pfsm.conformance.samples import PAIRS
from pfsm.evaluation.catalogue import SEGMENT_LEVEL
from pfsm.registry import TABLES, Entry, Origin, table
from tests.command_runs import Cli, Write
from tests.plugins.packages import SAME_LENGTH, installed


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process takes seconds to start; the tests of the command start some."""

    def work(function: Callable[..., object], *arguments: object) -> object:
        return function(*arguments)

    for module in (matchers, texts, analysers, metrics):
        monkeypatch.setattr(module, "in_another_process", work)


def found(kind: str, name: str, **further: object) -> dict[str, Result]:
    entry = table(kind).plugin(name) or Entry(kind, name, Origin("pfsm", ""), lambda: None)
    subject = Subject(entry, name, **{"samples": PAIRS, **further})  # type: ignore[arg-type]
    return {result.name: result for result in results(CHECKS[kind](subject))}


def failed(kind: str, name: str, **further: object) -> dict[str, str]:
    return {result.name: result.fault for result in found(kind, name, **further).values() if result.fault}


def test_every_kind_has_checks() -> None:
    assert set(CHECKS) == set(TABLES)


@pytest.mark.parametrize("name", ["punct", "word", "lemma", "syn", "para", "char", "dep"])
def test_our_own_matchers_pass(name: str) -> None:
    assert failed("matcher", name) == {}


@pytest.mark.parametrize(("kind", "name"), [("tokeniser", "penn"), ("tokeniser", "plain")])
def test_our_own_tokenisers_pass(kind: str, name: str) -> None:
    assert failed(kind, name) == {}


@pytest.mark.parametrize("name", ["porter", "none", "german"])
def test_our_own_stemmers_pass(name: str) -> None:
    assert failed("stemmer", name) == {}


def test_our_own_parser_passes() -> None:
    assert failed("analyser", "en-ewt", samples=PAIRS[:5]) == {}


@pytest.mark.parametrize(
    "name", ["chrf", "bleu(lowercase=true)", "ter", "nist", "wer", "rouge-l", "length_ratio"]
)
def test_our_own_metrics_pass(name: str) -> None:
    entry = Entry("metric", name.partition("(")[0], Origin("pfsm", ""), lambda: None)
    said = {one.name: one.fault for one in results(CHECKS["metric"](Subject(entry, name, samples=PAIRS)))}
    # What comes with pfsm names no package.
    assert "does not name pfsm" in said.pop(
        "its signature names its package, and is the same from a metric made anew"
    )
    assert not any(said.values()), said
    assert len(said) == 10


@pytest.mark.parametrize("name", ["bleu.bp", "length", "nist.penalty"])
def test_our_own_features_pass(name: str) -> None:
    assert failed("feature", name) == {}


@pytest.mark.parametrize("name", SEGMENT_LEVEL.built_in)
def test_our_own_statistics_pass(name: str) -> None:
    assert failed("statistic", name) == {}


def test_our_own_formats_pass(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("reference\thypothesis\tscore\na\tb\t1\n", encoding="utf-8")
    assert failed("format", "tsv", files=(str(path),)) == {}


MATCHERS = """
    import numpy as np
    from pfsm.errors import PfsmError
    from pfsm.matchers.plugin import Annotations, MatcherPlugin, Offers

    COUNT = [0]

    def rows(pairs):
        n = [np.diff(side.offsets) for side in (pairs.references, pairs.hypotheses)]
        return [(k, 0, 1, 0, 1) for k in range(len(pairs)) if n[0][k] and n[1][k]]

    def offers(some, name="", values=()):
        blocks = np.array(some, dtype=np.int32).reshape(-1, 5)
        if not name:
            return Offers(blocks)
        n = len(blocks)
        return Offers(blocks, (f"{name}:x",), np.arange(n), np.zeros(n, dtype=np.int32), np.resize(values, n))

    class Good(MatcherPlugin):
        name = "good"
        def offers(self, pairs):
            return offers(rows(pairs), "good", [0.5])
        @property
        def resources(self):
            return ("table@0123abcd",)

    class Silent(MatcherPlugin):
        name = "silent"
        def offers(self, pairs):
            return offers([])

    class Outside(MatcherPlugin):
        name = "outside"
        def offers(self, pairs):
            return offers([(0, 500, 1, 0, 1)])

    class Raises(MatcherPlugin):
        name = "raises"
        def offers(self, pairs):
            raise KeyError("what")

    class Moody(MatcherPlugin):
        name = "moody"
        def offers(self, pairs):
            COUNT[0] += 1
            return offers(rows(pairs), "moody", [COUNT[0]])

    class Batch(MatcherPlugin):
        name = "batch"
        def offers(self, pairs):
            return offers(rows(pairs), "batch", [len(pairs)])

    class Place(MatcherPlugin):
        name = "place"
        def offers(self, pairs):
            some = rows(pairs)
            return offers(some, "place", [row[0] for row in some] or [0])

    class Lax(MatcherPlugin):
        name = "lax"
        @classmethod
        def check(cls, options, where):
            return {"a": 1}
        def offers(self, pairs):
            return offers(rows(pairs))

    class Grows(MatcherPlugin):
        name = "grows"
        @classmethod
        def check(cls, options, where):
            for key in options:
                if key != "a":
                    raise PfsmError(f"{where}: unknown option {key!r}")
            return {"a": options.get("a", 0) + 1}
        def offers(self, pairs):
            return offers(rows(pairs))

    class NoJson(MatcherPlugin):
        name = "no-json"
        @classmethod
        def check(cls, options, where):
            super().check({key: options[key] for key in options if key != "a"}, where)
            return {"a": {1, 2}}
        def offers(self, pairs):
            return offers(rows(pairs))

    class Spaces(MatcherPlugin):
        name = "spaces"
        def offers(self, pairs):
            return offers(rows(pairs))
        @property
        def resources(self):
            return ("my table",)

    class Huge(MatcherPlugin):
        name = "huge"
        def offers(self, pairs):
            return offers(rows(pairs), "huge", [np.inf])

    class Writes(MatcherPlugin):
        name = "writes"
        def offers(self, pairs):
            pairs.references.ids[:] = 0
            return offers([])

    class Notes(MatcherPlugin):
        name = "notes"
        state = ""
        def offers(self, pairs):
            return offers([])
        def annotate(self, pairs, blocks):
            return Annotations(("notes:n",), [(k, 0, 1.0) for k in range(len(blocks))], ("link:n",), [])
"""
MATCHER_POINTS = {
    name: f"bad:{''.join(part.capitalize() for part in name.split('-'))}"
    for name in (
        "good", "silent", "outside", "raises", "moody", "batch", "place", "lax", "grows", "no-json", "spaces", "huge",
        "writes", "notes",
    )
}  # fmt: skip
MATCHER_FAULTS = {
    "outside": ("offers lie inside", "outside its reference"),
    "raises": ("offers lie inside", "KeyError: 'what'"),
    "moody": ("the same pairs give the same", "the second time"),
    "batch": ("depends on nothing but the pair", "but alone"),
    "place": ("depends on nothing but the pair", "but in reverse order"),
    "lax": ("an unknown option is refused", "accepts the option 'no such option'"),
    "grows": ("options come back unchanged", "become {'a': 2}"),
    "no-json": ("options come back unchanged", "cannot be written as JSON"),
    "spaces": ("resources are names", "'my table' has spaces or bars in it"),
    "huge": ("with finite features", "not a finite number"),
    "writes": ("offers lie inside", "read-only"),
}


@pytest.fixture
def bad(site: Path) -> None:
    """Good and bad plug-ins."""
    installed(site, "pfsm-bad", {"matcher": MATCHER_POINTS, **TEXT_POINTS, **NUMBER_POINTS}, MODULES)


@pytest.mark.usefixtures("bad")
@pytest.mark.parametrize("name", ["good", "notes", "silent"])
def test_good_matchers(name: str) -> None:
    said = found("matcher", name)
    assert not [result for result in said.values() if result.fault]
    notes = "".join(result.note for result in said.values())
    assert notes == ("it said nothing of these pairs; give others with --sample" if name == "silent" else "")


@pytest.mark.usefixtures("bad")
@pytest.mark.parametrize("name", MATCHER_FAULTS)
def test_bad_matchers(name: str) -> None:
    check, fault = MATCHER_FAULTS[name]
    first, said = next((one, text) for one, text in failed("matcher", name).items() if check in one)
    assert fault in said, (first, said)


TEXTS = """
    from pfsm.analysis.sentence import Analysis
    from pfsm.data.formats import Format, Judgment, Reading
    from pfsm.text.chunks import Tokeniser

    SEEN = []

    def words(line): return line.split()
    def blank(line): return line.split() or ["nothing"]
    def lower(line): return line.lower().split()
    def moody(line):
        SEEN.append(line)
        return line.split() + ["again"] * (SEEN.count(line) % 2)
    def first(stems): return [word[:3] for word in stems]
    def placed(stems): return [f"{word}{number}" for number, word in enumerate(stems)]

    class Words:
        label = "words"
        def __init__(self, argument): pass
        def analyse(self, lines, wanted):
            return [Analysis(tuple(line.split()), (0,) if line.split() else ()) for line in lines]

    class Spaced(Words):
        label = "my words"

    class Tagged(Words):
        label = "tagged"
        def analyse(self, lines, wanted):
            return [
                Analysis(tuple(words), (0,) if words else (), tuple(str(len(lines)) for _ in words))
                for words in map(str.split, lines)
            ]

    class Upper(Words):
        label = "upper"
        def analyse(self, lines, wanted):
            return super().analyse([line.upper() for line in lines], wanted)

    def reader(score, columns=("reference", "hypothesis", "score")):
        def read(paths, options):
            for path in paths:
                open(path).close()
            return Reading(Judgment, columns, iter([Judgment(references=("a",), hypothesis="b", score=score)]))
        return read

    GOOD = Format("good", "good", frozenset(), reader(1.0))
    NAN = Format("nan", "not a number", frozenset(), reader(float("nan")))
    NARROW = Format("narrow", "few columns", frozenset(), reader(1.0, ("reference",)))
    NONE = Format("none", "", frozenset(), reader(1.0))
    DREAMS = Format("dreams", "of files", frozenset(), lambda *_: Reading(Judgment, (), iter([])))
"""
TEXT_POINTS = {
    "tokeniser": {name: f"texts:{name}" for name in ("words", "blank", "lower", "moody")},
    "stemmer": {name: f"texts:{name}" for name in ("first", "placed")},
    "analyser": {name: f"texts:{name.capitalize()}" for name in ("words", "spaced", "tagged", "upper")},
    "format": {name: f"texts:{name.upper()}" for name in ("good", "nan", "narrow", "none", "dreams")},
}


NUMBERS = '''
    import numpy as np
    from pfsm.metrics.base import SegmentMetric

    STATE = [0.0]

    class Good(SegmentMetric):
        """Letters in common."""
        name = "good"
        def score_pairs(self, hypotheses, references):
            pairs = zip(hypotheses, references, strict=True)
            return np.array([len(set(ours) & set(theirs)) for ours, theirs in pairs], dtype=float)

    class Pooled(Good):
        name = "pooled"
        def pair_statistics(self, hypotheses, references):
            pairs = zip(hypotheses, references, strict=True)
            return np.array([[len(set(one)), len(other)] for one, other in pairs]).reshape(-1, 2)
        def corpus_from_totals(self, totals):
            return totals[..., 0] / np.maximum(totals[..., 1], 1)

    class Rank(Good):
        name = "rank"
        def score_pairs(self, hypotheses, references):
            return np.argsort(np.argsort(super().score_pairs(hypotheses, references), kind="stable")).astype(float)

    class Honest(Rank):
        name = "honest"
        is_independent = False
        is_additive = False

    class Moody(Good):
        name = "moody"
        def score_pairs(self, hypotheses, references):
            STATE[0] += 1.0
            return super().score_pairs(hypotheses, references) + STATE[0]

    class Nan(Good):
        name = "nan"
        def score_pairs(self, hypotheses, references):
            return super().score_pairs(hypotheses, references) * np.nan

    class Longest(Good):
        name = "longest"
        def score_pairs(self, hypotheses, references):
            return super().score_pairs(hypotheses, references) / max(map(len, references))

    class Unequal(Good):
        name = "unequal"
        def segment_scores(self, hypotheses, references):
            return super().segment_scores(hypotheses, references) + len(references)

    class Mistaken(Pooled):
        name = "mistaken"
        def corpus_score(self, hypotheses, references):
            score = super().corpus_score(hypotheses, references)
            return type(score).of_counts(float(score) + 1.0, score.name, score.signature)

    class Parted(Good):
        name = "parted"
        def named_parts(self, hypotheses, references):
            return {"one": np.ones(1)}

    class Unsigned(Good):
        name = "unsigned"
        def get_signature(self, nrefs=1, level="segment"):
            return "nrefs:1"

    def place(hypotheses, references): return np.arange(len(hypotheses), dtype=float)
    def commas(hypotheses, references):
        "Commas."
        return [float(line.count(",")) for line in hypotheses]

    def spread(metric, human): return float(np.std(metric - human))
    def first(metric, human): return float(metric[0])
    def both(metric, human): return metric * human
    def sorts(metric, human):
        metric.sort()
        return float(metric @ human)
    def infinite(metric, human): return float("inf") if np.std(metric) == 0 else 1.0
'''
METRICS = (
    "good",
    "pooled",
    "rank",
    "honest",
    "moody",
    "nan",
    "longest",
    "unequal",
    "mistaken",
    "unsigned",
    "parted",
)
NUMBER_POINTS = {
    "metric": {name: f"numbers_of_mine:{name.capitalize()}" for name in METRICS},
    "feature": {name: f"numbers_of_mine:{name}" for name in ("place", "commas")},
    "statistic": {
        name: f"numbers_of_mine:{name}" for name in ("spread", "first", "both", "sorts", "infinite")
    },
}
MODULES = {"bad": MATCHERS, "texts": TEXTS, "numbers_of_mine": NUMBERS}


@pytest.mark.usefixtures("bad")
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("metric", "good"),
        ("metric", "pooled"),
        ("metric", "honest"),
        ("feature", "commas"),
        ("statistic", "spread"),
    ],
)
def test_good_numbers(kind: str, name: str) -> None:
    assert failed(kind, name) == {}


PAIR_ALONE = "the score of a pair depends on nothing but the pair"


@pytest.mark.usefixtures("bad")
@pytest.mark.parametrize(
    ("kind", "name", "check", "fault"),
    [
        ("metric", "rank", PAIR_ALONE, "but "),
        ("metric", "moody", PAIR_ALONE, "but the second time"),
        ("metric", "nan", "one finite number for each pair", "gives nan for"),
        ("metric", "longest", "no pairs have no scores", "ValueError: max()"),
        (
            "metric",
            "unequal",
            "several references: the same one twice changes nothing",
            "segment_scores differs",
        ),
        (
            "metric",
            "mistaken",
            "the score of a corpus is a finite number, and that of the sums of its parts",
            " and ",
        ),
        (
            "metric",
            "unsigned",
            "its signature names its package, and is the same from a metric made anew",
            "not name",
        ),
        (
            "metric",
            "parted",
            "each of its parts, if it has any, gives one finite number for each pair",
            "'one' is not",
        ),
        ("feature", "place", "the value of a pair depends on nothing but the pair", "in reverse order"),
        ("statistic", "first", "the order of the translations makes no difference", "in another order"),
        ("statistic", "both", "it gives one number, and the same one every time", "a number is needed"),
        ("statistic", "sorts", "it leaves the scores as they are", "changes the arrays"),
        (
            "statistic",
            "infinite",
            "equal scores, or one translation alone, give a number or NaN",
            "it gives inf",
        ),
    ],
)
def test_bad_numbers(kind: str, name: str, check: str, fault: str) -> None:
    assert fault in failed(kind, name)[check]


@pytest.mark.usefixtures("bad")
def test_what_a_statistic_depends_on_is_said() -> None:
    assert found("statistic", "pearson")["what it depends on"].note == (
        "it is the same for scores that are shifted, doubled"
    )
    assert found("statistic", "kendall")["what it depends on"].note.endswith("shifted, doubled, ranked")
    assert found("metric", "honest")[PAIR_ALONE].note.startswith("it says that it is not")


@pytest.mark.usefixtures("bad")
@pytest.mark.parametrize(
    ("kind", "name"), [("tokeniser", "words"), ("stemmer", "first"), ("analyser", "words")]
)
def test_good_ones(kind: str, name: str) -> None:
    assert failed(kind, name) == {}


@pytest.mark.usefixtures("bad")
@pytest.mark.parametrize(
    ("kind", "name", "check", "fault"),
    [
        ("tokeniser", "blank", "blank lines have no tokens", "'' has the tokens ['nothing']"),
        ("tokeniser", "moody", "a chunk has the same tokens every time", "gives"),
        ("stemmer", "placed", "the stem of a word depends on nothing but the word", "has the stem"),
        (
            "analyser",
            "spaced",
            "its label is one that a signature can hold, and stays the same",
            "'my words(",
        ),
        (
            "analyser",
            "tagged",
            "the analysis of a line depends on nothing but the line",
            "changes with the other lines",
        ),
        (
            "analyser",
            "upper",
            "an analysis has the words of its line; tags and trees fit them",
            "are not those of",
        ),
        ("format", "nan", "its files give judgments or preferences, with texts and finite numbers", "(nan,)"),
        ("format", "narrow", "columns are what the records fill", "columns lack hypothesis, score"),
        ("format", "none", "it has a summary of one line", "it has ''"),
        (
            "format",
            "dreams",
            "a file that is not there is refused in one line",
            "reads a file that is not there",
        ),
        (
            "format",
            "dreams",
            "its files give judgments or preferences, with texts and finite numbers",
            "are none",
        ),
    ],
)
def test_bad_ones(kind: str, name: str, check: str, fault: str) -> None:
    further = {"files": (__file__,)} if kind == "format" else {}
    assert fault in failed(kind, name, **further)[check]


@pytest.mark.usefixtures("bad")
def test_what_is_allowed_is_said() -> None:
    assert "it rewrites 'The cat" in found("tokeniser", "lower")["no character of a line is lost"].note
    said = found("analyser", "words")["an analysis has the words of its line; tags and trees fit them"]
    assert said.note == "it gives words alone"


def test_the_command(site: Path, cli: Cli, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        cli("plugins")
        .lines[0]
        .startswith("no plug-ins; packages add them through the entry points pfsm.matchers, ")
    )
    assert cli("plugins", "check", "x").fault == "no plug-in 'x'; none is installed"
    points = {
        "matcher": {"same-length": "same_length:SameLength", "lost": "nowhere:X", "outside": "bad:Outside"}
    }
    points |= {"tokeniser": {"same-length": "texts:words"}}
    installed(
        site, "pfsm-mixed", points, {"same_length": SAME_LENGTH, "bad": MATCHERS, "texts": TEXTS}, "2.1"
    )
    from pfsm import registry

    registry.reread()
    assert cli("plugins").lines == [
        (
            "matcher    lost         pfsm-mixed 2.1  broken: cannot be imported "
            "(ModuleNotFoundError: No module named 'nowhere')"
        ),
        "matcher    outside      pfsm-mixed 2.1  ok",
        "matcher    same-length  pfsm-mixed 2.1  ok",
        "tokeniser  same-length  pfsm-mixed 2.1  ok",
    ]
    assert cli("plugins", "list", "--format", "json").document[1] == {
        "kind": "matcher", "name": "outside", "package": "pfsm-mixed 2.1", "state": "ok",
    }  # fmt: skip
    assert cli("plugins", "check", "lost").fault.startswith(
        "matcher 'lost' of pfsm-mixed 2.1: cannot be imported"
    )
    assert cli("plugins", "check", "same-length").fault == (
        "several plug-ins are called 'same-length' (matcher, tokeniser); choose one with --kind"
    )
    judged = write("x.tsv", "reference\thypothesis\tscore\nfor ever\tfor once\t1\n")
    passed = cli("plugins", "check", "same-length", "--kind", "matcher", "--sample", judged)
    assert passed.lines[0] == "matcher 'same-length' of pfsm-mixed 2.1:"
    assert all(line.startswith("  ok      ") for line in passed.lines[1:])
    assert len(passed.lines) == 12
    bad = cli("plugins", "check", "outside")
    assert bad.status == 2
    assert bad.err == (
        "pfsm: matcher 'outside' of pfsm-mixed 2.1: 6 of its checks failed, the first: "
        "offers lie inside their pairs, once each, with finite features of its own name\n"
    )
    assert "  FAILED  offers lie inside" in bad.out
    for option, fault in (
        ("x", "--option is 'x', it must be KEY=VALUE"),
        ("x=[", "--option x: '[' cannot be read"),
    ):
        assert fault in cli("plugins", "check", "same-length", "--kind", "matcher", "--option", option).fault
