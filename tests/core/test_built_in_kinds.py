"""Whatever comes with pfsm under a name has a label in plain words and its place in the documentation."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

from pfsm.commands import COMMANDS, TASKS
from pfsm.data.formats import FORMATS
from pfsm.evaluation.catalogue import DOCUMENT_LEVEL, SEGMENT_LEVEL, SYSTEM_LEVEL
from pfsm.matchers.registry import MATCHERS
from pfsm.metrics.registry import describe_feature, feature_names, group_of, metric_names
from pfsm.model.labels import plain_label
from pfsm.text.languages import TOKENISERS
from pfsm.text.stemming import built_in_stemmers
from pfsm_linguistics.analysers.registry import ANALYSERS, shipped_parsers

DOCS = Path(__file__).resolve().parents[2] / "docs"
LEVELS = (SEGMENT_LEVEL, DOCUMENT_LEVEL, SYSTEM_LEVEL)
STATISTICS = {name: level for level in LEVELS for name in level}
# NLTK's data has tokenisers of many languages: the page shows one.
WORDS = [name for name in TOKENISERS if not name.startswith("nltk:punkt-")]
FAMILIES = {name.partition(".")[0] for name in feature_names()}


def in_code(name: str) -> str:
    return rf"`{re.escape(name)}(?![\w-])"


def heading(name: str) -> str:
    return rf"(?m)^## (pfsm )?(.*, )?{name}(,.*)?$"


# By kind: the names, the pages of which one must show each, and how it does.
SHOWN: Mapping[str, tuple[Iterable[str], tuple[str, ...], Callable[[str], str]]] = {
    "matcher": (MATCHERS, ("settings.md",), in_code),
    "metric": (metric_names(), ("metrics.md",), in_code),
    "feature": (FAMILIES, ("settings.md", "metrics.md", "syntax.md", "resources.md"), in_code),
    "statistic": (STATISTICS, ("evaluation.md",), in_code),
    "format": (FORMATS, ("data.md",), heading),
    "command": (COMMANDS, ("reference/commands.md",), heading),
    "tokeniser": (WORDS, ("settings.md", "guides/languages.md"), in_code),
    "stemmer": (built_in_stemmers(), ("settings.md",), in_code),
    "analyser": ([*ANALYSERS, *shipped_parsers()], ("syntax.md",), in_code),
}
# By kind: the names, and what says in plain words what each is.
LABELS: Mapping[str, tuple[Iterable[str], Callable[[str], object]]] = {
    "matcher": (MATCHERS, lambda name: MATCHERS[name].label or "".join(MATCHERS[name].labels.values())),
    "metric": (metric_names(), describe_feature),
    "feature": (feature_names(), describe_feature),
    "statistic": (STATISTICS, lambda name: STATISTICS[name][name].heading),
    "format": (FORMATS, lambda name: FORMATS[name].summary),
    "command": (COMMANDS, lambda name: COMMANDS[name].task in TASKS and COMMANDS[name].summary),
}


@pytest.mark.parametrize("kind", SHOWN)
def test_it_is_on_its_page(kind: str) -> None:
    names, pages, shown = SHOWN[kind]
    text = "\n".join((DOCS / page).read_text(encoding="utf-8") for page in pages)
    lacking = [name for name in names if not re.search(shown(name), text)]
    assert not lacking, f"{kind}s without a place in docs: {' or '.join(pages)}"


@pytest.mark.parametrize("kind", LABELS)
def test_it_has_a_label(kind: str) -> None:
    names, label = LABELS[kind]
    assert not [name for name in names if not label(name)], f"{kind}s without a label in plain words"


@pytest.mark.parametrize("name", MATCHERS)
def test_it_says_whether_it_can_run_in_another_process(name: str) -> None:
    """What needs a parser or a network cannot; a matcher with such an option has to say so."""
    kind = MATCHERS[name]
    options = kind.check({"source": "shipped:minilm"} if name == "emb" else {}, name)
    assert kind.can_run_in_child_process(options) is not bool({"parser", "source"} & set(options))


def test_labels_are_the_kinds_own() -> None:
    assert plain_label("S_syn") == "a synonym"
    assert plain_label("para:+1") == "a paraphrase: step 2 of likeness reached"
    assert plain_label("role:same") == "same role"
    assert plain_label("feature:kept.case") == "capital letters are kept"
    assert plain_label("S_nobodys") == "a match of nobodys"
    group = group_of("bleu")
    assert plain_label("feature:bleu") == "bleu"
    assert group is not None
    assert "bleu" not in group.labels
