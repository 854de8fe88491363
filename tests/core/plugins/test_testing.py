"""Checks of plug-ins: what is good passes, and each fault is found and named."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pytest

from pfsm import testing
from pfsm.errors import PfsmError
from pfsm.testing import PAIRS, check
from tests.command_runs import Cli
from tests.core.plugins.faulty_plugins import MODULES, POINTS
from tests.core.plugins.packages import SAME_LENGTH, installed


class Here:
    """In place of another process, which takes seconds to start."""

    def __init__(self, *_: object) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def submit(self, function: Callable[..., Any], *arguments: object) -> Self:
        self.found = function(*arguments)
        return self

    def result(self) -> Any:
        return self.found


@pytest.fixture
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testing, "ProcessPoolExecutor", Here)
    monkeypatch.setattr(testing, "PAIRS", PAIRS[:3] + PAIRS[-5:])


@pytest.fixture
def _plugins(site: Path) -> None:
    """Good and bad plug-ins."""
    installed(site, "pfsm-bad", POINTS, MODULES)


@pytest.mark.usefixtures("_here")
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("matcher", "para"),
        ("tokeniser", "penn"),
        ("statistic", "pearson"),
        ("format", "tsv"),
        ("command", "score"),
    ],
)
def test_our_own_pass(kind: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("reference\thypothesis\tscore\na\tb\t1\n", encoding="utf-8")
    check(name, kind, files=[str(path)])


GOOD = {
    "matcher": ("good", "notes"), "metric": ("good", "pooled", "honest"), "feature": ("commas",),
    "statistic": ("spread",), "tokeniser": ("words",), "stemmer": ("first",), "analyser": ("words",), "page": ("leaf",),
}  # fmt: skip


@pytest.mark.usefixtures("_plugins", "_here")
@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in GOOD.items() for name in names])
def test_good_ones(kind: str, name: str) -> None:
    check(name, kind)


FAULTS = [
    ("matcher", "outside", "outside its reference"),
    ("matcher", "batch", "but alone"),
    ("matcher", "lax", "it accepts an unknown option"),
    ("matcher", "grows", "the options {'a': 1} become {'a': 2}"),
    ("matcher", "spaces", r"cannot hold the resources \['my table'\]"),
    ("metric", "rank", "but in reverse order"),
    ("metric", "nan", "gives nan for"),
    ("metric", "longest", r"max\(\)"),
    ("metric", "unequal", "segment_scores differs"),
    ("metric", "mistaken", "a corpus scores .*, by its parts"),
    ("metric", "unsigned", "does not name its package"),
    ("metric", "parted", "the part 'one' is not"),
    ("feature", "place", "but in reverse order"),
    ("statistic", "first", "in another order"),
    ("statistic", "both", "a number is needed"),
    ("statistic", "sorts", "changes the arrays"),
    ("statistic", "infinite", "it gives inf"),
    ("tokeniser", "moody", "but the second time"),
    ("stemmer", "placed", "but in reverse order"),
    ("analyser", "spaced", "'my words' has spaces or bars in it"),
    ("analyser", "tagged", "but alone"),
    ("format", "nan", r"record 1 has the numbers \(nan,\)"),
    ("format", "none", "it has no summary"),
    ("format", "dreams", "finds nothing in its files"),
    ("format", "silent", "it accepts a file that is not there"),
]  # fmt: skip


@pytest.mark.usefixtures("_plugins", "_here")
@pytest.mark.parametrize(("kind", "name", "fault"), FAULTS)
def test_faults(kind: str, name: str, fault: str) -> None:
    with pytest.raises((AssertionError, PfsmError, ValueError), match=fault):
        check(name, kind, files=[__file__])


@pytest.mark.usefixtures("_plugins")
def test_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError, match=r"gives .*'mat.'\], but in another process .*'mat.', 'here'\]"):
        check("elsewhere", "tokeniser")
    with pytest.raises(PfsmError, match=r"^'words': choose one of \['analyser', 'tokeniser'\]$"):
        check("words")
    with pytest.raises(PfsmError, match=r"^'nobody': nothing has this name$"):
        check("nobody")


def test_the_list(site: Path, cli: Cli) -> None:
    nothing = "no plug-ins; packages add them through the entry points pfsm.matchers, "
    assert cli("plugins").lines[0].startswith(nothing)
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
    assert cli("plugins", "--format", "json").document[1] == {
        "kind": "matcher", "name": "outside", "package": "pfsm-mixed 2.1", "state": "ok",
    }  # fmt: skip
