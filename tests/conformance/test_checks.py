"""Conformance tests: what is good passes all, and each fault is found by the check that is for it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pfsm.conformance import analysers, matchers, texts
from pfsm.conformance.checks import Result, Subject, results
from pfsm.conformance.kinds import CHECKS
from pfsm.conformance.samples import PAIRS
from pfsm.registry import TABLES, Entry, Origin, table
from tests.command_runs import Cli, Write
from tests.plugins.packages import SAME_LENGTH, installed


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process takes seconds to start; the tests of the command start some."""

    def work(function: Callable[..., object], *arguments: object) -> object:
        return function(*arguments)

    for module in (matchers, texts, analysers):
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
    installed(site, "pfsm-bad", {"matcher": MATCHER_POINTS, **TEXT_POINTS}, {"bad": MATCHERS, "texts": TEXTS})


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
            "changes with the lines",
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
        "'same-length' is the name of a matcher and tokeniser; choose one with --kind"
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
