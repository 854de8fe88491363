"""Conformance tests: what is good passes all, and each fault is found by the check that is for it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pfsm.conformance import kinds
from pfsm.conformance.checks import PAIRS, Result, Subject
from pfsm.conformance.kinds import check
from pfsm.registry import Entry, Origin, table
from tests.command_runs import Cli, Write
from tests.conformance.faulty_plugins import MODULES, POINTS
from tests.plugins.packages import SAME_LENGTH, installed


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process takes seconds to start; the tests of the command start some."""

    def work(function: Callable[..., object], *arguments: object) -> object:
        return function(*arguments)

    monkeypatch.setattr(kinds, "in_another_process", work)


def found(kind: str, name: str, **further: object) -> dict[str, Result]:
    entry = table(kind).plugin(name) or Entry(kind, name, Origin("pfsm", ""), lambda: None)
    subject = Subject(entry, name, **{"samples": PAIRS, **further})  # type: ignore[arg-type]
    said: list[Result] = []
    check(kind, subject, said.append)
    return {result.name: result for result in said}


def failed(kind: str, name: str, **further: object) -> dict[str, str]:
    return {result.name: result.fault for result in found(kind, name, **further).values() if result.fault}


OURS = [
    ("matcher", "para"),
    ("tokeniser", "penn"),
    ("stemmer", "porter"),
    ("feature", "bleu.bp"),
    ("statistic", "pearson"),
    ("format", "tsv"),
]
SIGNS = "its signature names its package, and is the same from a metric made anew"


@pytest.mark.parametrize(("kind", "name"), OURS)
def test_our_own_pass(kind: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("reference\thypothesis\tscore\na\tb\t1\n", encoding="utf-8")
    further: dict[str, object] = {"files": (str(path),)} if kind == "format" else {"samples": PAIRS[:5]}
    assert failed(kind, name, **further) == {}


@pytest.fixture
def bad(site: Path) -> None:
    """Good and bad plug-ins."""
    installed(site, "pfsm-bad", POINTS, MODULES)


GOOD = {
    "matcher": ("good", "notes", "silent"), "metric": ("good", "pooled", "honest"), "feature": ("commas",),
    "statistic": ("spread",), "tokeniser": ("words",), "stemmer": ("first",), "analyser": ("words",),
}  # fmt: skip


@pytest.mark.usefixtures("bad")
@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in GOOD.items() for name in names])
def test_good_ones(kind: str, name: str) -> None:
    said = found(kind, name)
    assert not [result for result in said.values() if result.fault]
    if kind == "matcher":
        notes = "".join(result.note for result in said.values())
        silent = "it said nothing of these pairs; give others with --sample"
        assert notes == (silent if name == "silent" else "")


PAIR_ALONE = "the score of a pair depends on nothing but the pair"
# Kind and name; part of the name of the check that finds the fault; part of what it says.
FAULTS = [
    ("matcher", "outside", "offers lie inside", "outside its reference"),
    ("matcher", "moody", "the same pairs give the same", "but from a matcher made anew"),
    ("matcher", "batch", "depends on nothing but the pair", "but alone"),
    ("matcher", "lax", "an unknown option is refused", "accepts the option 'no such option'"),
    ("matcher", "grows", "options come back unchanged", "become {'a': 2}"),
    ("matcher", "spaces", "resources are names", "'my table' has spaces or bars in it"),
    ("metric", "rank", PAIR_ALONE, "but "),
    ("metric", "nan", "one finite number for each pair", "gives nan for"),
    ("metric", "longest", "no pairs have no scores", "ValueError: max()"),
    ("metric", "unequal", "the same one twice changes nothing", "segment_scores differs"),
    ("metric", "mistaken", "that of the sums of its parts", " and "),
    ("metric", "unsigned", SIGNS, "not name"),
    ("metric", "parted", "each of its parts, if it has any", "'one' is not"),
    ("feature", "place", "the value of a pair depends on nothing but the pair", "in reverse order"),
    ("statistic", "first", "the order of the translations makes no difference", "in another order"),
    ("statistic", "both", "it gives one number, and the same one every time", "a number is needed"),
    ("statistic", "sorts", "it leaves the scores as they are", "changes the arrays"),
    ("statistic", "infinite", "equal scores, or one translation alone", "it gives inf"),
    ("tokeniser", "blank", "blank lines have no tokens", "'' has the tokens ['nothing']"),
    ("tokeniser", "moody", "a chunk has the same tokens every time", "gives"),
    ("stemmer", "placed", "the stem of a word depends on nothing but the word", "gives"),
    ("analyser", "spaced", "its label is one that a signature can hold", "'my words("),
    ("analyser", "tagged", "depends on nothing but the line", "but alone"),
    ("analyser", "upper", "an analysis has the words of its line", "are not those of"),
    ("format", "nan", "its files give judgments or preferences", "(nan,)"),
    ("format", "narrow", "columns are what the records fill", "columns lack hypothesis, score"),
    ("format", "none", "it has a summary of one line", "it has ''"),
    ("format", "dreams", "a file that is not there is refused", "reads a file that is not there"),
    ("format", "dreams", "its files give judgments or preferences", "are none"),
]


@pytest.mark.usefixtures("bad")
@pytest.mark.parametrize(("kind", "name", "broken", "fault"), FAULTS)
def test_faults(kind: str, name: str, broken: str, fault: str) -> None:
    further = {"files": (__file__,)} if kind == "format" else {}
    said = [text for one, text in failed(kind, name, **further).items() if broken in one]
    assert said
    assert fault in said[0]


def test_the_command(site: Path, cli: Cli, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = "no plug-ins; packages add them through the entry points pfsm.matchers, "
    assert cli("plugins").lines[0].startswith(nothing)
    assert cli("plugins", "check", "x").fault == "no plug-in 'x'; none is installed"
    matchers = {"same-length": "same_length:SameLength", "lost": "nowhere:X", "outside": "bad:Outside"}
    points = {"matcher": matchers, "tokeniser": {"same-length": "texts:words"}}
    installed(site, "pfsm-mixed", points, {"same_length": SAME_LENGTH, **MODULES}, "2.1")
    from pfsm import registry

    registry.reread()
    lost, *lines = cli("plugins").lines
    assert lost.startswith(
        "matcher    lost         pfsm-mixed 2.1  broken: cannot be imported (ModuleNotFoundError:"
    )
    named = ("matcher    outside", "matcher    same-length", "tokeniser  same-length")
    assert lines == [f"{one:<22}  pfsm-mixed 2.1  ok" for one in named]
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
    option = ("--kind", "matcher", "--option", "x")
    assert "--option is 'x', it must be KEY=VALUE" in cli("plugins", "check", "same-length", *option).fault
